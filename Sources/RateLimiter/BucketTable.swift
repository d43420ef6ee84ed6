/// The buckets that are in use, at most `capacity` of them.
///
/// A full bucket is the same as none, so a new key takes over a full one's slot before the table grows. At the bound
/// the bucket nearest to full goes that can still pay for a command; an exhausted one never goes, since that would
/// reward whoever makes up many names.
struct BucketTable: Sendable {
    struct Bucket {
        var key: LimitKey
        /// When the bucket is full again: GCRA's theoretical arrival time, in nanoseconds of the limiter's clock.
        var fullAt: Int64
        /// When it was last charged while full. What was charged before then has come back by itself.
        var busySince: Int64
        /// Nanoseconds of a token under the rule of its last charge; 0 when that isn't known.
        var interval: Int64
    }

    let capacity: Int
    private(set) var buckets: [Bucket] = []
    private var slots: [LimitKey: Int32] = [:]
    private var byFull = DueHeap()
    /// By the time from which a whole command could be paid.
    private var byPayable = DueHeap()

    /// Beyond this the whole room is taken at once: growing by steps would move 100,000 keys within one command.
    private static let growsUpTo = 2048

    init(capacity: Int) {
        self.capacity = min(max(1, capacity), 1_000_000)
    }

    func slot(of key: LimitKey) -> Int? {
        slots[key].map { Int($0) }
    }

    func hasRoom(at now: Int64) -> Bool {
        buckets.count < capacity || vacatedSlot(at: now) != nil
    }

    /// `payableAt` is when a whole command can be paid from it.
    mutating func set(_ slot: Int, fullAt: Int64, payableAt: Int64, busySince: Int64, interval: Int64) {
        buckets[slot].fullAt = fullAt
        buckets[slot].interval = interval
        buckets[slot].busySince = busySince
        byFull.update(slot, due: fullAt)
        byPayable.update(slot, due: payableAt)
    }

    enum Insertion {
        case grew
        /// The bucket of this key is no more.
        case tookOver(LimitKey)
        /// All are exhausted.
        case noRoom
    }

    /// Makes a bucket for a key that has none.
    mutating func insert(
        _ key: LimitKey, fullAt: Int64, payableAt: Int64, interval: Int64, at now: Int64
    ) -> Insertion {
        if let slot = vacatedSlot(at: now) {
            let gone = buckets[slot].key
            slots[gone] = nil
            slots[key] = Int32(slot)
            buckets[slot].key = key
            set(slot, fullAt: fullAt, payableAt: payableAt, busySince: now, interval: interval)
            return .tookOver(gone)
        }
        guard buckets.count < capacity else { return .noRoom }
        if buckets.count == Self.growsUpTo { reserveAll() }
        slots[key] = Int32(buckets.count)
        buckets.append(Bucket(key: key, fullAt: fullAt, busySince: now, interval: interval))
        byFull.append(due: fullAt)
        byPayable.append(due: payableAt)
        return .grew
    }

    private func vacatedSlot(at now: Int64) -> Int? {
        if let full = byFull.soonest, full.due <= now { return full.slot }
        guard buckets.count >= capacity, let payable = byPayable.soonest, payable.due <= now else { return nil }
        return payable.slot
    }

    private mutating func reserveAll() {
        buckets.reserveCapacity(capacity)
        slots.reserveCapacity(capacity)
        byFull.reserveCapacity(capacity)
        byPayable.reserveCapacity(capacity)
    }
}
