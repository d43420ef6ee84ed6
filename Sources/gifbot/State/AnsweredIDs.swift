import Base

/// The messages answered last, 20,000 of them; the oldest go first.
struct AnsweredIDs: Sendable {
    static let capacity = 20_000

    private struct Name: Hashable {
        let network: String
        let id: String
    }

    private var known: Set<Name> = []
    /// A ring once it has reached the bound; `oldest` is then the next to go.
    private var order: [(name: Name, at: WallTime)] = []
    private var oldest = 0

    func contains(_ id: String, in network: String) -> Bool {
        known.contains(Name(network: network, id: id))
    }

    /// False when it was known already.
    mutating func record(_ id: String, in network: String, at time: WallTime) -> Bool {
        let name = Name(network: network, id: id)
        guard known.insert(name).inserted else { return false }
        guard order.count >= Self.capacity else {
            order.append((name, time))
            return true
        }
        known.remove(order[oldest].name)
        order[oldest] = (name, time)
        oldest = (oldest + 1) % Self.capacity
        return true
    }

    mutating func forget(before time: WallTime) {
        guard order.contains(where: { $0.at < time }) else { return }
        let kept = (order[oldest...] + order[..<oldest]).filter { $0.at >= time }
        order = kept
        oldest = 0
        known = Set(kept.map(\.name))
    }
}
