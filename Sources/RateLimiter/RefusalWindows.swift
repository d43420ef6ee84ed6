/// Which refusals were told already. A window belongs to the limit that refused and the place where it did.
///
/// It is told to each asker once and in private, or once to everybody where there is no private way; the rest is silent.
public struct RefusalWindows: Sendable {
    private struct Name: Hashable {
        let key: LimitKey
        let place: String
    }

    private struct Window {
        let end: Int64
        var isToldToAll = false
        /// A handful, so searching is as good as hashing.
        var told: [String] = []
    }

    /// Nanoseconds: the shortest window.
    private static let shortest: Int64 = 60 * 1_000_000_000
    private static let capacity = 10_000
    /// Askers told of one limit in a window. Whoever comes later is one of a crowd, and the bot's lines are limited too.
    private static let mostAskers = 8

    private var windows: [Name: Window] = [:]
    private var start: ContinuousClock.Instant?

    public init() {}

    /// Whether the asker is still to be told; then it is noted that they were. Opens a window, which lasts until the next
    /// command could pass, and at least a minute. At the bound, ended windows go; if that frees less than a quarter, all
    /// go: telling once more is better than a search through them at every refusal.
    public mutating func mayTell(
        _ asker: String, of refusal: Refusal, in place: String, at now: ContinuousClock.Instant
    ) -> Bool {
        let time = nanoseconds(at: now)
        let name = Name(key: refusal.key, place: place)
        if let window = windows[name], time < window.end {
            guard !window.isToldToAll, window.told.count < Self.mostAskers, !window.told.contains(asker) else {
                return false
            }
            windows[name]?.told.append(asker)
            return true
        }
        if windows.count >= Self.capacity {
            windows = windows.filter { time < $0.value.end }
            if windows.count > Self.capacity * 3 / 4 { windows.removeAll() }
        }
        let wait = refusal.retryAfter.wholeNanoseconds
        windows[name] = Window(end: time + max(wait, Self.shortest), told: [asker])
        return true
    }

    /// There was no private way, so all of the place have heard it.
    public mutating func toldAll(of refusal: Refusal, in place: String) {
        windows[Name(key: refusal.key, place: place)]?.isToldToAll = true
    }

    private mutating func nanoseconds(at now: ContinuousClock.Instant) -> Int64 {
        let begin = start ?? now
        start = begin
        return begin.duration(to: now).wholeNanoseconds
    }
}
