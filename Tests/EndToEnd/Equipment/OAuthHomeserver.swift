import Foundation

/// A homeserver with OAuth 2.0 (Tests/Servers/oauth_homeserver.py says what it can do).
final class OAuthHomeserver: Sendable {
    let script: ServerScript

    /// - Parameter lifetime: of an access token, in seconds.
    init(lifetime: Int = 300) async throws {
        script = try await .foreground("oauth_homeserver.py", ["--lifetime", "\(lifetime)"])
    }

    var url: String { script["URL"] }
    var user: String { script["USER"] }

    struct State: Sendable {
        let registrations: [JSON]
        /// What each question for the token was answered.
        let polls: [String]
        let askedTooFast: Int
        let refreshes: Int
        /// Refresh tokens shown again after their successor was used.
        let stale: Int
        /// Syncs that go on from another: what is said before the first of them is old.
        let syncs: Int
        let sent: [JSON]

        var bodies: [String] { sent.compactMap { $0["body"].text } }
    }

    var state: State {
        get async throws {
            let json = try await Web.call("GET", url + "/_test/state").json
            return State(
                registrations: json["registrations"].list, polls: json["polls"].list.compactMap(\.text),
                askedTooFast: json["too_fast"].number ?? -1, refreshes: json["refreshes"].number ?? -1,
                stale: json["stale"].number ?? -1, syncs: json["syncs"].number ?? -1,
                sent: json["sent"].list)
        }
    }

    func agree(to code: String) async throws { try await tell("agree", ["user_code": code]) }
    func deny(_ code: String) async throws { try await tell("deny", ["user_code": code]) }
    /// A person speaks in the room.
    func say(_ body: String) async throws { try await tell("say", ["body": body]) }
    /// Ends the session.
    func forget() async throws { try await tell("forget", [:]) }
    /// The answer to the next refresh gets lost.
    func loseRefresh() async throws { try await tell("lose", [:]) }

    private func tell(_ what: String, _ value: [String: Any]) async throws {
        let answer = try await Web.call("POST", url + "/_test/" + what, json: value)
        guard answer.status == 200 else { throw Trouble("the homeserver said \(answer.status) to \(what)") }
    }
}
