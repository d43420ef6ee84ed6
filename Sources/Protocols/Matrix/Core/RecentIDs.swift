/// The last so many ids; the oldest goes when another comes.
public struct RecentIDs: Equatable, Sendable {
    private let capacity: Int
    private var known: Set<String> = []
    private var ring: [String] = []
    private var next = 0

    public init(capacity: Int) {
        self.capacity = capacity
    }

    public func contains(_ id: String) -> Bool { known.contains(id) }

    /// False when it was there already.
    @discardableResult
    public mutating func insert(_ id: String) -> Bool {
        guard known.insert(id).inserted else { return false }
        if ring.count < capacity {
            ring.append(id)
        } else {
            known.remove(ring[next])
            ring[next] = id
            next = (next + 1) % capacity
        }
        return true
    }
}
