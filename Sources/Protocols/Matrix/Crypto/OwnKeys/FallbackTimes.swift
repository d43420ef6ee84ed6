import JSON

/// When the fallback key was last exchanged, and until when the one before it is kept; both in milliseconds since 1970.
struct FallbackTimes: Equatable {
    /// "such as after an hour" ("One-time and fallback keys").
    static let grace: Int64 = 3_600_000
    static let name = "own.fallback"

    var exchanged: Int64?
    var forgetAt: Int64?

    init() {}

    init(stored bytes: [UInt8]?) {
        guard let bytes, let value = try? JSONValue(parsing: bytes) else { return }
        exchanged = value["exchanged"]?.integer
        forgetAt = value["forget_at"]?.integer
    }

    var stored: [UInt8] {
        var object = JSONObject()
        if let exchanged { object["exchanged"] = .integer(exchanged) }
        if let forgetAt { object["forget_at"] = .integer(forgetAt) }
        return (try? JSONWriter.canonical(.object(object))) ?? []
    }

    /// Not twice within the hour: the key before the last would be lost while messages with it are on their way, and
    /// whoever claims them all could have keys exchanged with each sync.
    func mayExchange(now: Int64) -> Bool {
        guard let exchanged else { return true }
        // A clock that was set back doesn't keep an old key for ever.
        return now >= exchanged + Self.grace || now < exchanged - Self.grace
    }
}
