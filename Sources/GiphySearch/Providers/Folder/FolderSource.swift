public import Base
import Glibc
import HTTP
import Images

/// A directory of animated files, or the samples.
@Loop public final class FolderSource: GifSource {
    public nonisolated let name = "folder"
    public nonisolated let policy: ProviderPolicy
    public private(set) var generation = 0

    private let path: String
    private let publicURL: String?
    private let rating: Rating
    private let reader: FolderReader
    private let clock: any LoopClock
    /// When the folder was last looked at for the sake of what comes next.
    private var lastLookAhead: Instant?

    /// Links are `publicURL` + `/` + name, else `file:` addresses, which only people on the same machine can
    /// open.
    /// `catalog` finds what `gifbot index` made of the folder.
    public convenience init(
        path: String, publicURL: String?, rating: Rating, clock: any LoopClock, log: Log? = nil,
        catalog: FolderCatalogOpener? = nil
    ) {
        let reader = FolderReader(path: path, clock: clock, log: log, catalog: catalog)
        self.init(path: path, publicURL: publicURL, rating: rating, policy: .folder, reader: reader, clock: clock)
    }

    /// The samples, written to `folder` at the first search.
    public static func samples(in folder: String, publicURL: String?, rating: Rating, clock: any LoopClock)
        -> FolderSource
    {
        let reader = FolderReader(path: folder, clock: clock, prepare: SampleFiles.write)
        return FolderSource(
            path: folder, publicURL: publicURL, rating: rating, policy: .samples, reader: reader, clock: clock)
    }

    private init(
        path: String, publicURL: String?, rating: Rating, policy: ProviderPolicy, reader: FolderReader,
        clock: any LoopClock
    ) {
        self.clock = clock
        self.path = absolutePath(path)
        self.publicURL = publicURL
        self.rating = rating
        var policy = policy
        policy.folder = self.path
        self.policy = policy
        self.reader = reader
    }

    /// A folder doesn't know what a sticker is.
    public func offers(_ query: SearchQuery) -> Bool { query.kind == .gif && query.mode != .translate }

    public func refusal(for asker: Asker) -> SourceFailure? { nil }

    /// Trending are the newest files.
    public func page(for request: PageRequest, by deadline: Instant) async throws(SourceFailure) -> SearchPage {
        guard let offset = request.offset(upTo: FolderReader.maximumFiles) else { return SearchPage(gifs: []) }
        let limit = policy.pageSize(at: request.position)
        do throws(FolderError) {
            let found = try await reader.files(for: request, from: offset, atMost: limit)
            generation = max(generation, found.generation)
            let next = found.isMore ? PageContinuation(source: name, position: String(offset + limit)) : nil
            return SearchPage(gifs: found.files.map(gif), continuation: next)
        } catch {
            throw .unavailable(error.reason)
        }
    }

    /// What is served from the cache for a day should notice a new file sooner: now and then the folder is looked at, off the loop,
    /// and the next search gets what is new.
    public func pageServed() {
        let now = clock.now
        if let lastLookAhead, lastLookAhead.advanced(by: .seconds(30)) > now { return }
        lastLookAhead = now
        Loop.start { [reader] in
            try? await reader.refresh()
            let generation = await reader.generation
            self.generation = max(self.generation, generation)
        }
    }

    private func gif(_ file: FolderFile) -> Gif {
        let encoded = encodedPath(file.name)
        let base = publicURL.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        let url = base.map { $0 + encoded } ?? "file://" + encodedPath(path) + "/" + encoded
        let rendition = Rendition(
            url: url, width: file.width, height: file.height, byteCount: file.byteCount,
            mediaType: file.format.mediaType, localPath: path + "/" + file.name)
        return Gif(
            id: file.name, source: name, title: file.title ?? FolderIndex.title(of: file.name), rating: rating,
            pageURL: nil,
            author: nil,
            credit: policy.credit, renditions: [rendition])
    }

    private func encodedPath(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { percentEncoded(String($0)) }.joined(
            separator: "/")
    }
}

extension ProviderPolicy {
    /// The operator's own files.
    public static let folder = localFiles(credit: "folder")
    /// Made for this project.
    public static let samples = localFiles(credit: "gifbot samples")

    private static func localFiles(credit: String) -> ProviderPolicy {
        ProviderPolicy(
            keepsResultsFor: .days(1), mayStoreURLs: true, mayCopyFiles: true, credit: credit,
            maximumQueryLength: 100, pageSize: 25, laterPageSize: 100, mediaHosts: [],
            defaultBudget: nil)
    }
}

/// Joined to the working folder where it doesn't begin at the root, without `.` parts.
private func absolutePath(_ path: String) -> String {
    var whole = path
    if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
        defer { free(folder) }
        whole = String(cString: folder) + "/" + path
    }
    return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}
