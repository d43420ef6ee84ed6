import Base
import Chat
import GiphySearch
import Testing

@testable import Bot

struct ReplyMediaTests {
    private static let large = Rendition(
        url: "https://media.test/l.gif", width: 480, height: 270, byteCount: 3000, mediaType: "image/gif")
    private static let middle = Rendition(url: "https://media.test/m.gif", width: 320, height: 180, byteCount: 2000)
    private static let small = Rendition(url: "https://media.test/s.gif", width: 100, height: 56, byteCount: nil)

    private func media(
        _ renditions: [Rendition], chosen: Int = 0, _ wish: ChannelSettings.Media = .auto, mayCopy: Bool? = true
    ) -> ReplyMedia? {
        let gif = Gif(
            id: "1", source: "folder", title: "Party", rating: .g, pageURL: nil, author: nil, credit: "folder",
            altText: "A parrot", renditions: renditions)
        var settings = ChannelSettings()
        settings.media = wish
        settings.maximumBytes = 5000
        var policy = mayCopy.map { _ in ProviderPolicy.folder }
        policy?.mayCopyFiles = mayCopy ?? false
        policy?.folder = "/srv/g ifs"
        return ReplyMedia(PickedGif(gif: gif, rendition: renditions[chosen]), for: settings, under: policy)
    }

    @Test("The chosen file first, then the smaller ones, largest first")
    func files() {
        let media = media([Self.small, Self.large, Self.middle], chosen: 1)
        #expect(media?.files.map(\.url) == [Self.large, Self.middle, Self.small].map(\.url))
        #expect(media?.files.first?.mediaType == "image/gif" && media?.files.first?.byteCount == 3000)
        #expect(media?.id == "folder:1" && media?.title == "Party" && media?.altText == "A parrot")
        #expect(media?.maximumBytes == 5000)
        #expect(self.media([Self.large, Self.middle], chosen: 1)?.files.count == 1)
    }

    @Test("`image` is a wish: where the source allows no copy, or is no more, the link is sent")
    func policy() {
        #expect(media([Self.large], .link) == nil)
        for wish in [ChannelSettings.Media.auto, .image] {
            #expect(media([Self.large], wish) != nil)
            #expect(media([Self.large], wish, mayCopy: false) == nil)
            #expect(media([Self.large], wish, mayCopy: nil) == nil)
        }
    }

    @Test("A file of this machine is read where its source says that it lies, never by an address that a source sends")
    func localFiles() {
        let local = Rendition(
            url: "https://gifs.test/a%20b.gif", width: 1, height: 1, byteCount: 1, localPath: "/srv/g ifs/a b.gif")
        #expect(media([local])?.files.map(\.url) == ["file:///srv/g%20ifs/a%20b.gif"])
        #expect(media([local])?.files.first?.folder == "/srv/g ifs")
        for path in ["/etc/passwd", "/srv/g ifs too/a.gif", "/srv/g ifs"] {
            let elsewhere = Rendition(
                url: "https://gifs.test/a.gif", width: 1, height: 1, byteCount: 1, localPath: path)
            #expect(media([elsewhere]) == nil)
        }
        let foreign = Rendition(url: "file:///etc/passwd", width: 1, height: 1, byteCount: 1)
        #expect(media([foreign]) == nil)
    }

    @Test("An answer carries a file only where it can be shown") @Loop
    func shown() {
        for isShown in [true, false] {
            let room = Room()
            room.adapter.showsMedia = isShown
            var policy = ProviderPolicy.folder
            policy.mayCopyFiles = true
            room.search.policies["giphy"] = policy
            room.say("!gif party")
            #expect(room.adapter.answers.count == 1 && (room.adapter.answers[0].media != nil) == isShown)
        }
    }
}
