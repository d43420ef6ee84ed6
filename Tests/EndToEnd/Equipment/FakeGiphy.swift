import Foundation

/// The stand-in for GIPHY (Tests/Servers/fake_giphy.py says what it can do).
final class FakeGiphy: Sendable {
    static let shared = Shared { try await FakeGiphy() }
    static let key = "lab-key"

    private let script: ServerScript

    init(key: String = FakeGiphy.key) async throws {
        script = try await .foreground("fake_giphy.py", ["--key", key])
    }

    var url: String { script["URL"] }

    struct Request: Sendable {
        let server: String
        let path: String
        let raw: String
        let query: [String: String]
        let headers: [String: String]
    }

    func reset() async throws { try await tell("reset", [:]) }

    func fail(_ kind: String?, count: Int? = nil, seconds: Double? = nil) async throws {
        var fault: [String: Any] = [:]
        fault["kind"] = kind
        fault["count"] = count
        fault["seconds"] = seconds
        try await tell("fault", fault)
    }

    /// Each search takes a time in between, and then is answered as usual.
    func slow(between seconds: ClosedRange<Double>) async throws {
        try await tell("fault", ["kind": "slow", "between": [seconds.lowerBound, seconds.upperBound]])
    }

    /// That part of the searches gets one fault or another; none of those after which nothing is asked for long.
    func failMixed(seed: Int, share: Double) async throws {
        try await tell("fault", ["kind": "mixed", "seed": seed, "share": share])
    }

    /// How many searches got which of them.
    var faults: [String: Int] {
        get async throws {
            try await Web.call("GET", url + "/_test/faults").json.members.compactMapValues(\.number)
        }
    }

    func items(titles: [String]? = nil, ratings: [String]? = nil) async throws {
        var items: [String: Any] = [:]
        items["titles"] = titles
        items["ratings"] = ratings
        try await tell("items", items)
    }

    var requests: [Request] {
        get async throws {
            try await Web.call("GET", url + "/_test/requests").json.list.map { one in
                Request(
                    server: one["server"].text ?? "", path: one["path"].text ?? "", raw: one["raw"].text ?? "",
                    query: one["query"].members.compactMapValues(\.text),
                    headers: one["headers"].members.compactMapValues(\.text))
            }
        }
    }

    /// What was searched for, in order.
    var searches: [String] {
        get async throws { try await requests.filter { $0.path.hasSuffix("/search") }.map { $0.query["q"] ?? "" } }
    }

    private func tell(_ what: String, _ value: [String: Any]) async throws {
        let answer = try await Web.call("POST", url + "/_test/" + what, json: value)
        guard answer.status == 200 else { throw Trouble("the stand-in for GIPHY said \(answer.status) to \(what)") }
    }
}
