public import HTTP
import JSON

/// One call of `/sync` (client-server API, "Syncing").
public struct SyncRequest: Equatable, Sendable {
    /// The `next_batch` to go on from; nil asks for the present state of everything.
    public let since: String?
    /// All room state again, although `since` is given: this program keeps none over a restart.
    public let wantsFullState: Bool
    public let timelineLimit: Int
    /// Encrypted rooms are read, so what only they need is asked for too.
    public var encrypts = false
    /// How often an answer to the same was had already. Servers answer the very same question out of a cache for minutes (Synapse:
    /// `sync_response_cache_duration`), so each one waits for a little less.
    public var repetition = 0

    /// How long the server holds the request open when nothing happens.
    static let holdTime: Duration = .seconds(30)
    /// A first sync of a big account is made while the client waits.
    static let slowTimeout: Duration = .seconds(300)
    static let timeout: Duration = .seconds(60)
    static let maximumBody = 16 << 20

    /// The server answers such a request at once, and it may take long to make.
    public var isSlow: Bool { since == nil || wantsFullState }

    public func httpRequest(to server: Homeserver) -> HTTPRequest {
        var query = [(name: "filter", value: String(decoding: encoded(filter), as: UTF8.self))]
        if let since { query.append((name: "since", value: since)) }
        if wantsFullState { query.append((name: "full_state", value: "true")) }
        let timeout = Self.holdTime.components.seconds * 1000 - Int64(repetition % 1000)
        query.append((name: "timeout", value: isSlow ? "0" : String(timeout)))
        return server.request(
            .get, "/v3/sync", query: query, timeout: isSlow ? Self.slowTimeout : Self.timeout,
            maximumBody: Self.maximumBody)
    }

    /// Types of state stand in the timeline's list too: `state` is the state *before* the timeline, so a change that the
    /// timeline's filter hides would be lost.
    static func timelineTypes(encrypts: Bool) -> [JSONValue] {
        stateTypes(encrypts: encrypts) + ["m.room.message", "m.room.redaction", "m.reaction"]
            + (encrypts ? ["m.room.encrypted", "m.key.verification.*"] : [])
    }

    private static func stateTypes(encrypts: Bool) -> [JSONValue] {
        ["m.room.create", "m.room.encryption", "m.room.member", "m.room.power_levels", "m.room.tombstone"]
            + (encrypts ? ["m.room.history_visibility"] : [])
    }

    private var filter: JSONValue {
        let nothing: JSONValue = ["not_types": ["*"]]
        return [
            "presence": nothing,
            "account_data": ["types": ["m.ignored_user_list"]],
            "room": [
                "account_data": nothing,
                "ephemeral": nothing,
                "state": ["types": .array(Self.stateTypes(encrypts: encrypts)), "lazy_load_members": true],
                "timeline": [
                    "types": .array(Self.timelineTypes(encrypts: encrypts)),
                    "limit": .integer(Int64(timelineLimit)),
                    "lazy_load_members": true,
                ],
            ],
        ]
    }
}
