public import HTTP
import JSON

/// What a room sees of an account besides its words.
extension Homeserver {
    private static let shortTimeout: Duration = .seconds(10)

    /// Typing notifications. The server takes it back by itself after `duration`.
    public func typing(_ isTyping: Bool, _ user: String, in room: String, for duration: Duration) -> HTTPRequest {
        let path = "/v3/rooms/\(percentEncoded(room))/typing/\(percentEncoded(user))"
        guard isTyping else {
            return request(.put, path, body: ["typing": false], timeout: Self.shortTimeout)
        }
        return request(
            .put, path, body: ["typing": true, "timeout": .integer(duration.components.seconds * 1000)],
            timeout: Self.shortTimeout)
    }

    /// Receipts: everything up to this event was read, in its thread or in the room outside of threads.
    public func read(_ event: String, in room: String, thread: String?) -> HTTPRequest {
        request(
            .post, "/v3/rooms/\(percentEncoded(room))/receipt/m.read/\(percentEncoded(event))",
            body: ["thread_id": .string(thread ?? "main")], timeout: Self.shortTimeout)
    }

    public func avatar(of user: String) -> HTTPRequest {
        request(.get, "/v3/profile/\(percentEncoded(user))/avatar_url")
    }

    public func setAvatar(_ uri: String, of user: String) -> HTTPRequest {
        request(.put, "/v3/profile/\(percentEncoded(user))/avatar_url", body: ["avatar_url": .string(uri)])
    }
}
