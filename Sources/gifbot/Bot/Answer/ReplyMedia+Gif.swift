import Chat
import GiphySearch
import HTTP

extension ReplyMedia {
    /// Tries of an upload that is refused as too large come to an end.
    private static let mostFiles = 4

    /// The files of a choice. Nil where the channel wants links, and where the source's rules allow no copy: `image` is a wish.
    init?(_ choice: PickedGif, for settings: ChannelSettings, under policy: ProviderPolicy?) {
        switch settings.media {
        case .link: return nil
        case .image, .auto: break
        }
        guard policy?.mayCopyFiles ?? false else { return nil }
        let smaller = choice.gif.renditions.filter { $0.isSmaller(than: choice.rendition) }
            .sorted { $1.isSmaller(than: $0) }
        let files = ([choice.rendition] + smaller).compactMap { File($0, in: policy?.folder) }.prefix(Self.mostFiles)
        guard !files.isEmpty else { return nil }
        self.init(
            id: choice.gif.qualifiedID, files: Array(files), title: choice.gif.title, altText: choice.gif.altText,
            maximumBytes: settings.maximumBytes)
    }
}

extension ReplyMedia.File {
    /// Only what a source says to lie on this machine, in its own folder, is read from it: an address with `file:` from anywhere
    /// else is none, and a GIF that was saved when the source had another folder is of no folder now.
    fileprivate init?(_ rendition: Rendition, in folder: String?) {
        let url: String
        if let path = rendition.localPath {
            guard let folder, path.hasPrefix(folder + "/") else { return nil }
            url =
                "file://"
                + path.split(separator: "/", omittingEmptySubsequences: false)
                .map { percentEncoded(String($0)) }.joined(separator: "/")
        } else if ["https://", "http://"].contains(where: rendition.url.hasPrefix) {
            url = rendition.url
        } else {
            return nil
        }
        self.init(
            url: url, mediaType: rendition.mediaType, width: rendition.width, height: rendition.height,
            byteCount: rendition.byteCount, folder: rendition.localPath == nil ? nil : folder)
    }
}

extension Rendition {
    /// By bytes where both are known, else by area; what says nothing about itself is no smaller one.
    fileprivate func isSmaller(than other: Rendition) -> Bool {
        if let mine = byteCount, let others = other.byteCount { return mine < others }
        guard let width, let height, let otherWidth = other.width, let otherHeight = other.height else { return false }
        return width * height < otherWidth * otherHeight
    }
}
