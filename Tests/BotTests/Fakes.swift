import Base
import Bot
import Chat
import GiphySearch
import RateLimiter

/// Notes what it is told to send; takes it unless told otherwise.
@Loop final class FakeAdapter: ChatAdapter {
    let network: String
    var budget = 400
    var refusal: String?
    /// There is no way to tell one person alone.
    var isPublic = false
    /// What was said can't be changed or taken back.
    var isFinal = false
    var showsMedia = true
    var sent: [Reply] = []
    var revised: [Reply] = []
    var retracted: [AnswerID] = []
    /// Ids of commands.
    var began: [String?] = []
    var finished: [String?] = []
    /// Called after each reply, as another bot in the room would hear it.
    var heard: ((Reply) -> Void)?

    init(network: String) {
        self.network = network
    }

    func textBudget(for message: ChatMessage) -> Int { budget }

    func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        if let refusal { return .refused(refusal) }
        if isPublic, reply.audience == .asker { return .refused("no private talk") }
        sent.append(reply)
        heard?(reply)
        return .accepted
    }

    func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        if let refusal { return .refused(refusal) }
        if isFinal { return .refused("nothing can be changed here") }
        revised.append(reply)
        return .accepted
    }

    func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        if let refusal { return .refused(refusal) }
        if isFinal { return .refused("nothing can be taken back here") }
        retracted.append(answer)
        return .accepted
    }

    func began(_ message: ChatMessage) { began.append(message.id) }
    func finished(_ message: ChatMessage) { finished.append(message.id) }
    func start() {}
    func stop(by deadline: Instant) async {}

    var answers: [Reply] { sent.filter { $0.kind == .answer } }
    var notices: [String] { sent.filter { $0.kind == .notice }.map(\.text) }
}

/// Holds pages by their words; what isn't held is a call, which waits until the test lets it go.
@Loop final class FakeSearch: GifSearch {
    var pages: [String: SearchPage] = [:]
    var asked: [SearchQuery] = []
    /// Queries that went on to the sources.
    var calls: [SearchQuery] = []
    private var waiting: [CheckedContinuation<Result<SearchPage, SearchFailure>, Never>] = []
    /// Set to answer every call at once.
    var result: Result<SearchPage, SearchFailure>?

    func held(_ query: SearchQuery, for asker: Asker) -> SearchPage? {
        asked.append(query)
        return pages[query.words]
    }

    func page(for query: SearchQuery, for asker: Asker) async -> Result<SearchPage, SearchFailure> {
        calls.append(query)
        if let result { return result }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Pages by the position that leads to them.
    var following: [String: Result<SearchPage, SearchFailure>] = [:]
    private(set) var turned: [String] = []

    func page(
        after page: SearchPage, of query: SearchQuery, for asker: Asker
    ) async -> Result<SearchPage, SearchFailure> {
        let position = page.continuation?.position ?? ""
        turned.append(position)
        return following[position] ?? .failure(.nothingFound)
    }

    /// Sources that can be asked by id, with what they hold.
    var byID: [String: Gif] = [:]
    var idSources: Set<String> = []
    var policies: [String: ProviderPolicy] = [:]

    func findsByID(in source: String) -> Bool { idSources.contains(source) }

    func gif(id: String, of source: String, rating: Rating, for asker: Asker) async -> Result<Gif, SearchFailure> {
        byID[source + ":" + id].map { .success($0) } ?? .failure(.nothingFound)
    }

    var statuses: [SourceStatus] = []
    func statuses(for asker: Asker) -> [SourceStatus] { statuses }

    func policy(of source: String) -> ProviderPolicy? { policies[source] }

    func finish(_ result: Result<SearchPage, SearchFailure>) {
        let all = waiting
        waiting = []
        for continuation in all { continuation.resume(returning: result) }
    }
}

@Loop final class MemoryBotStore: BotStore {
    var shownIDs: [Conversation: [String]] = [:]
    var buckets: [LimitKey: SavedBucket] = [:]

    func lastShown(in conversation: Conversation) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: (shownIDs[conversation] ?? []).enumerated().map { ($1, UInt64($0)) })
    }

    func record(shown id: String, in conversation: Conversation, at time: WallTime) {
        shownIDs[conversation, default: []].removeAll { $0 == id }
        shownIDs[conversation, default: []].append(id)
    }

    func takeSavedBuckets() -> [SavedBucket] { Array(buckets.values) }

    func record(_ bucket: SavedBucket) { buckets[bucket.key] = bucket }

    func forget(bucket: LimitKey) { buckets[bucket] = nil }

    var admin = AdminRecord()
    var isFull = false
    var owesWriting = false

    func takeAdminRecord() -> AdminRecord { admin }

    func record(_ events: [AdminEvent]) { for event in events { admin.apply(event) } }

    func written() async -> Bool {
        writes += 1
        return !isFull
    }

    var collections: [Conversation: [SavedGif]] = [:]
    /// The most GIFs of a conversation that it takes.
    var room = 100
    private(set) var writes = 0

    func savedGif(_ name: String, in conversation: Conversation) -> SavedGif? {
        collections[conversation]?.first { $0.name == name }
    }

    func savedNames(in conversation: Conversation) -> [String] { collections[conversation]?.map(\.name) ?? [] }

    func save(_ gif: SavedGif, in conversation: Conversation) -> Bool {
        guard savedNames(in: conversation).count < room else { return false }
        collections[conversation, default: []].append(gif)
        return true
    }

    func forget(saved name: String, in conversation: Conversation) -> Bool {
        guard savedGif(name, in: conversation) != nil else { return false }
        collections[conversation]?.removeAll { $0.name == name }
        return true
    }
}

func gif(
    _ id: String, title: String = "Party Parrot", rating: Rating? = .g, url: String? = nil, pageURL: String? = nil,
    width: Int? = 480, height: Int? = 270, bytes: Int? = 1_234_567, author: String? = nil, kind: GifKind = .gif
) -> Gif {
    Gif(
        id: id, source: "giphy", kind: kind, title: title, rating: rating, pageURL: pageURL, author: author,
        credit: "GIPHY",
        renditions: [
            Rendition(
                url: url ?? "https://media.example/\(id).gif", width: width, height: height, byteCount: bytes)
        ])
}

func page(_ gifs: Gif...) -> SearchPage { SearchPage(gifs: gifs) }
