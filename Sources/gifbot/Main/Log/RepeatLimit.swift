import Base

/// Lets one message through a few times a minute. Messages are constants of the program, so the table is as small as
/// the program's text.
struct RepeatLimit {
    private struct Window {
        var start: Instant
        var count = 0
        var suppressed = 0
    }

    private var windows: [String: Window] = [:]
    private static let length = Duration.minutes(1)
    private static let allowed = 20

    /// How many were left out since the last line let through; nil when this one is left out too.
    mutating func admit(_ message: String, at now: Instant) -> Int? {
        var window = windows[message] ?? Window(start: now)
        defer { windows[message] = window }
        if window.start.duration(to: now) >= Self.length {
            let suppressed = window.suppressed
            window = Window(start: now, count: 1)
            return suppressed
        }
        window.count += 1
        if window.count <= Self.allowed { return 0 }
        window.suppressed += 1
        return nil
    }
}
