import HTTP
import JSON
import Synchronization

/// A homeserver in the same process: answers by rule, keeps every request, and holds `/sync` open until a test has
/// something to tell.
final class FakeHomeserver: HTTPClient {
    enum Answer: Sendable {
        case response(HTTPResponse)
        case failure(HTTPError)
        /// Open until `release` or a cancellation.
        case hang
    }

    private struct Rule {
        let path: String
        var answers: [Answer]
    }

    private struct State {
        var rules: [Rule] = []
        var requests: [HTTPRequest] = []
        var hanging: [Int: CheckedContinuation<Answer, Never>] = [:]
        var cancelled: Set<Int> = []
        var syncs: [Answer] = []
        var waitingSync: Int?
        var sent = 0
    }

    private let state = Mutex(State())

    // MARK: For the test

    /// The next requests whose path holds this text get these answers, one each.
    func next(_ path: String, _ answers: Answer...) {
        state.withLock { $0.rules.append(Rule(path: path, answers: answers)) }
    }

    func next(_ path: String, times: Int, _ answer: Answer) {
        state.withLock { $0.rules.append(Rule(path: path, answers: Array(repeating: answer, count: times))) }
    }

    func sync(_ answer: Answer) {
        let waiter = state.withLock { state -> CheckedContinuation<Answer, Never>? in
            guard let id = state.waitingSync, let waiter = state.hanging.removeValue(forKey: id) else {
                state.syncs.append(answer)
                return nil
            }
            state.waitingSync = nil
            return waiter
        }
        waiter?.resume(returning: answer)
    }

    /// Lets go of what hangs (but for a sync).
    func release(_ answer: Answer) {
        let waiters = state.withLock { state in
            let ids = state.hanging.keys.filter { $0 != state.waitingSync }
            return ids.compactMap { state.hanging.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.resume(returning: answer) }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    func requests(_ path: String) -> [HTTPRequest] { requests.filter { $0.url.contains(path) } }

    /// The content of every event put, in order, repetitions too.
    var sent: [JSONValue] {
        requests("/send/").compactMap { try? JSONValue(parsing: $0.body ?? []) }
    }

    var sentBodies: [String] { sent.compactMap { $0["body"]?.string } }

    // MARK: HTTPClient

    func send<Output: Sendable>(
        _ request: HTTPRequest, decode: @escaping @Sendable (HTTPResponse) -> Output
    ) async throws(HTTPError) -> Output {
        let (id, answer) = state.withLock { state in
            state.requests.append(request)
            return (state.requests.count, Self.answer(request, &state))
        }
        switch answer {
        case .response(let response): return decode(response)
        case .failure(let error): throw error
        case .hang: break
        }
        let isSync = request.url.contains("/v3/sync")
        switch await hang(id, isSync: isSync) {
        case .response(let response): return decode(response)
        case .failure(let error): throw error
        case .hang: throw .cancelled
        }
    }

    private func hang(_ id: Int, isSync: Bool) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Answer? in
                    if state.cancelled.contains(id) { return .hang }
                    // Told since this one looked.
                    if isSync, !state.syncs.isEmpty { return state.syncs.removeFirst() }
                    state.hanging[id] = continuation
                    if isSync { state.waitingSync = id }
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.cancelled.insert(id)
                if state.waitingSync == id { state.waitingSync = nil }
                return state.hanging.removeValue(forKey: id)
            }
            waiter?.resume(returning: .hang)
        }
    }

    private static func answer(_ request: HTTPRequest, _ state: inout State) -> Answer {
        if let index = state.rules.firstIndex(where: { request.url.contains($0.path) && !$0.answers.isEmpty }) {
            return state.rules[index].answers.removeFirst()
        }
        if request.url.contains("/v3/sync") { return state.syncs.isEmpty ? .hang : state.syncs.removeFirst() }
        if request.url.contains("/send/") {
            state.sent += 1
            return .ok(["event_id": .string("$sent\(state.sent)")])
        }
        for (path, body) in usual where request.url.contains(path) { return .ok(body) }
        return .refusal(404, "M_UNRECOGNIZED")
    }

    private static let usual: [(String, JSONValue)] = [
        ("/versions", ["versions": ["r0.6.1", "v1.1", "v1.11"]]),
        ("/account/whoami", ["user_id": "@gifbot:example.test", "device_id": "DEV"]),
        ("/login", ["user_id": "@gifbot:example.test", "device_id": "DEV", "access_token": "fresh-token"]),
        ("/displayname", ["displayname": "GIF Bot"]),
        ("/directory/room/", ["room_id": "!r1:example.test"]),
        ("/join/", ["room_id": "!joined:example.test"]),
        ("/v1/media/config", ["m.upload.size": 50_000_000]),
        ("/v3/upload", ["content_uri": "mxc://example.test/gif"]),
        ("/redact/", ["event_id": "$redaction"]),
        ("/typing/", [:]),
        ("/receipt/", [:]),
        ("/avatar_url", [:]),
        ("/keys/upload", ["one_time_key_counts": ["signed_curve25519": 50]]),
        ("/keys/query", ["device_keys": [:]]),
        ("/members?", ["chunk": []]),
        ("/joined_members", ["joined": ["@a:b": [:], "@c:d": [:], "@e:f": [:]]]),
    ]
}

extension FakeHomeserver.Answer {
    static func ok(_ body: JSONValue) -> Self {
        .response(HTTPResponse(status: 200, body: (try? JSONWriter.canonical(body)) ?? []))
    }

    static func refusal(
        _ status: Int, _ code: String, _ more: JSONObject = [:], retryAfter: String? = nil
    ) -> Self {
        var body: JSONObject = ["errcode": .string(code), "error": "no"]
        for member in more.members { body[member.key] = member.value }
        return .response(
            HTTPResponse(
                status: status, headers: retryAfter.map { [HTTPHeader("retry-after", $0)] } ?? [],
                body: (try? JSONWriter.canonical(.object(body))) ?? []))
    }

    static func bytes(_ bytes: [UInt8]) -> Self {
        .response(HTTPResponse(status: 200, body: bytes))
    }

    static func page(_ status: Int, _ html: String) -> Self {
        .response(HTTPResponse(status: status, body: Array(html.utf8)))
    }
}
