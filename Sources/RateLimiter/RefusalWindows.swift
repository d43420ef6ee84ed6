/// Which refusals were told already. A window belongs to the limit that refused and the conversation it was told in.
struct RefusalWindows: Sendable {
    private struct Name: Hashable {
        let key: LimitKey
        let place: String
    }

    /// Seconds: the shortest window.
    private static let shortest: Int64 = 60 * 1_000_000_000
    private static let capacity = 10_000

    private var ends: [Name: Int64] = [:]
    private(set) var silent: UInt64 = 0

    /// True for the first refusal of a window, which it opens. At the bound, ended windows go; if that frees less
    /// than a quarter, all go: telling once more is better than a search through them at every refusal.
    mutating func refused(by key: LimitKey, in place: String, wait: Int64, at now: Int64) -> Bool {
        let name = Name(key: key, place: place)
        if let end = ends[name], now < end {
            silent += 1
            return false
        }
        if ends.count >= Self.capacity {
            ends = ends.filter { now < $0.value }
            if ends.count > Self.capacity * 3 / 4 { ends.removeAll() }
        }
        ends[name] = now + max(wait, Self.shortest)
        return true
    }
}
