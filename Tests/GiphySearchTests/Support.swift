import Base
import Foundation
import GiphySearch
import HTTP
import Synchronization
import Testing
import TestSupport

func fixture(_ name: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/" + name, withExtension: nil))
    return Array(try Data(contentsOf: url))
}

func query(_ words: String, rating: Rating = .g, kind: GifKind = .gif) -> SearchQuery {
    SearchQuery(words: words, rating: rating, language: "en", kind: kind)
}

extension GifAPI {
    /// The first page, which most tests are about.
    func request(for query: SearchQuery) -> HTTPRequest { request(for: PageRequest(query))! }

    func gifs(from response: HTTPResponse) throws(SourceFailure) -> [Gif] {
        try page(from: response, for: PageRequest(query("owl"))).gifs
    }
}

extension Asker {
    static let somebody = Asker(share: "libera/#cats")
}

extension SearchService {
    func held(_ query: SearchQuery) -> SearchPage? { held(query, for: .somebody) }
    func page(for query: SearchQuery) async -> Result<SearchPage, SearchFailure> {
        await page(for: query, for: .somebody)
    }
}

extension GifSource {
    func refusal() -> SourceFailure? { refusal(for: .somebody) }
    func gifs(for query: SearchQuery, by deadline: Instant) async throws(SourceFailure) -> [Gif] {
        try await page(for: PageRequest(query, asker: .somebody), by: deadline).gifs
    }
}

func makeGif(
    _ id: String, kind: GifKind = .gif, title: String = "", rating: Rating? = .g, source: String = "giphy",
    renditions: [Rendition] = [Rendition(url: "https://i.giphy.com/a.gif", width: 480, height: 270, byteCount: 1000)]
) -> Gif {
    Gif(
        id: id, source: source, kind: kind, title: title, rating: rating, pageURL: nil, author: nil, credit: "",
        renditions: renditions)
}

func channel(
    rating: Rating = .g, unrated: Bool = false, bytes: Int = 8_000_000, width: Int = 800, words: [String] = [],
    ids: Set<String> = []
) -> Suitability {
    Suitability(
        rating: rating, allowsUnrated: unrated, maximumBytes: bytes, maximumWidth: width, deniedWords: words,
        deniedIDs: ids)
}

/// Answers as told, and remembers what it was asked.
final class FakeHTTP: HTTPClient {
    enum Step: Sendable {
        case respond(HTTPResponse)
        case fail(HTTPError)
        /// Waits until `release`, then goes on with what follows; a cancelled one ends as cancelled.
        indirect case wait(then: Step)
    }

    private struct State {
        var requests: [HTTPRequest] = []
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var cancelled = 0
    }

    private let state = Mutex(State())
    private let answer: @Sendable (HTTPRequest, _ count: Int) -> Step

    /// The count is that of the request, from 1.
    init(_ answer: @escaping @Sendable (HTTPRequest, _ count: Int) -> Step) {
        self.answer = answer
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    func release() {
        let all = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for one in all { one.resume(returning: true) }
    }

    func send<Output: Sendable>(
        _ request: HTTPRequest, decode: @escaping @Sendable (HTTPResponse) -> Output
    ) async throws(HTTPError) -> Output {
        let count = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        var step = answer(request, count)
        while case .wait(let next) = step {
            guard await wasReleased(count) else { throw .cancelled }
            step = next
        }
        switch step {
        case .respond(let response): return decode(response)
        case .fail(let error): throw error
        case .wait: throw .cancelled
        }
    }

    private func wasReleased(_ number: Int) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    state.withLock { $0.cancelled += 1 }
                    continuation.resume(returning: false)
                } else {
                    state.withLock { $0.waiting[number] = continuation }
                }
            }
        } onCancel: {
            let one = state.withLock { state in
                let one = state.waiting.removeValue(forKey: number)
                if one != nil { state.cancelled += 1 }
                return one
            }
            one?.resume(returning: false)
        }
    }
}

extension HTTPResponse {
    static func json(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}

/// A page with the given ids, as GIPHY would send it.
func giphyPage(_ ids: [String], rating: String = "g") -> HTTPResponse {
    let items = ids.map {
        #"{"id":"\#($0)","title":"GIF \#($0)","rating":"\#(rating)","images":{"original":{"url":"https://media1.giphy.com/\#($0).gif","width":"480","height":"270","size":"1000"}}}"#
    }
    return .json(#"{"data":[\#(items.joined(separator: ","))],"meta":{"status":200,"response_id":"r"}}"#)
}

/// A result that arrives some time, looked for without sleeping.
@Loop final class Later<Value: Sendable> {
    private(set) var value: Value?
    private(set) var task: Task<Void, Never>?

    init(_ work: @escaping @Loop @Sendable () async -> Value) {
        task = Loop.start { self.value = await work() }
    }

    func cancel() { task?.cancel() }
}

/// Lets what is ready on the loop run.
@Loop func letRun() async {
    for _ in 0..<50 { await Task.yield() }
}

/// Runs the work to its end, moving the clock to whatever it waits for.
@Loop func finish<Value: Sendable>(
    _ clock: ManualClock, within limit: Duration = .minutes(1), _ work: @escaping @Loop @Sendable () async -> Value
) async throws -> Value {
    let later = Later(work)
    let end = clock.now.advanced(by: limit)
    while later.value == nil {
        await letRun()
        guard later.value == nil else { break }
        guard let due = clock.nextDue, due <= end else { break }
        clock.advance(by: clock.now.duration(to: due))
    }
    return try #require(later.value, "nothing moves any more")
}

/// Waits for something that another thread brings about, at most a few seconds of real time.
@Loop func eventually(_ condition: @Loop () -> Bool) async -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(20))
    while ContinuousClock.now < end {
        if condition() { return true }
        await Task.yield()
    }
    return false
}

extension TemporaryFolder {
    func write(_ bytes: [UInt8], _ name: String) {
        _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(bytes))
    }
}
