/// Token buckets as GCRA keeps them: each is one number, the time at which it is full again, so nothing has to be
/// refilled. All time is nanoseconds of the monotonic clock since the first use; nothing here is rounded.
public struct RateLimiter: Sendable {
    private var table: BucketTable
    /// When each scope's shared bucket is full; new names go there while every bucket of the table is exhausted.
    private var sharedFullAt = [Int64](repeating: 0, count: LimitScope.allCases.count)
    private var receipts = OpenReceipts()
    private var start: ContinuousClock.Instant?
    private var latest: Int64 = 0
    /// Slots of the command being decided, kept to save an allocation.
    private var found: [Int32] = []
    private let notesChanges: Bool
    private var changes: [LimitChange] = []

    /// `capacity`: buckets held at most. `notesChanges`: whether somebody will ask for them with `takeChanges`.
    public init(capacity: Int = 100_000, notesChanges: Bool = false) {
        table = BucketTable(capacity: capacity)
        self.notesChanges = notesChanges
    }

    /// Charges all keys or none.
    public mutating func take(
        _ charges: [Charge], cost: LimitCost, at now: ContinuousClock.Instant
    ) -> Decision {
        let now = advance(to: now)
        var receipt = Receipt(number: receipts.issue(), charges: charges, cost: cost, time: now)
        guard cost.quarters > 0 else { return .admitted(receipt) }
        found.removeAll(keepingCapacity: true)
        var longest: (wait: Int64, charge: Int) = (0, 0)
        for (number, charge) in charges.enumerated() {
            let slot = table.slot(of: charge.key)
            found.append(Int32(slot ?? -1))
            let wait = debt(of: charge, in: slot, at: now) + cost.nanoseconds(under: charge.rule) - charge.rule.capacity
            if wait > longest.wait { longest = (wait, number) }
        }
        guard longest.wait == 0 else {
            return .refused(Refusal(key: charges[longest.charge].key, retryAfter: .nanoseconds(longest.wait)))
        }
        charge(charges, cost: cost, noting: &receipt, at: now)
        return .admitted(receipt)
    }

    /// Takes a charge back, once; what has come back by itself meanwhile isn't given twice.
    public mutating func giveBack(_ receipt: Receipt, at now: ContinuousClock.Instant) {
        let now = advance(to: now)
        guard receipts.close(receipt.number) else { return }
        for charge in receipt.charges {
            let scope = charge.key.scope.number
            if receipt.shared & 1 << scope != 0 {
                let amount = receipt.cost.nanoseconds(under: charge.rule)
                sharedFullAt[scope] = max(now, sharedFullAt[scope] - amount)
            } else if let slot = table.slot(of: charge.key), table.buckets[slot].busySince <= receipt.time {
                let bucket = table.buckets[slot]
                let amount = receipt.cost.nanoseconds(under: charge.rule, token: bucket.interval)
                let fullAt = max(now, bucket.fullAt - amount)
                table.set(
                    slot, fullAt: fullAt, payableAt: charge.rule.payable(fullAt), busySince: bucket.busySince,
                    interval: bucket.interval)
                note(charge.key, fullIn: fullAt - now, interval: bucket.interval)
            }
        }
    }

    /// What became of buckets since the last call, in order: for keeping it over a restart. Costs nothing when there is
    /// nothing.
    public mutating func takeChanges(_ body: (LimitChange) -> Void) {
        for change in changes { body(change) }
        changes.removeAll(keepingCapacity: true)
    }

    /// What is left for a key under its rule.
    public func remaining(for charge: Charge, at now: ContinuousClock.Instant) -> Remaining {
        let now = max(latest, nanoseconds(at: now))
        let rule = charge.rule
        let debt = debt(of: charge, in: table.slot(of: charge.key), at: now)
        let tokens = (rule.capacity - debt) / rule.interval
        let next = max(0, debt - (rule.capacity - (tokens + 1) * rule.interval))
        return Remaining(
            tokens: Int(tokens), nextIn: .nanoseconds(debt == 0 ? 0 : next), fullIn: .nanoseconds(debt))
    }

    /// The buckets in use, in no order.
    package func snapshot(at now: ContinuousClock.Instant) -> [SavedLimit] {
        let now = max(latest, nanoseconds(at: now))
        return table.buckets.compactMap { bucket in
            guard bucket.fullAt > now else { return nil }
            return SavedLimit(
                key: bucket.key, fullIn: .nanoseconds(bucket.fullAt - now), interval: bucket.interval)
        }
    }

    /// Takes up what a snapshot held; keys that are in use already are left out, and what has no room.
    public mutating func restore(_ saved: [SavedLimit], at now: ContinuousClock.Instant) {
        let now = advance(to: now)
        for entry in saved where entry.fullIn > .zero {
            let key = entry.key
            guard table.slot(of: key) == nil else { continue }
            let fullIn = min(entry.fullIn, .nanoseconds(RateLimitRule.longestRefill))
            // The rule isn't known yet: until its first charge the bucket counts as exhausted.
            let fullAt = now + fullIn.wholeNanoseconds
            let interval = max(0, entry.interval)
            if case .noRoom = table.insert(key, fullAt: fullAt, payableAt: fullAt, interval: interval, at: now) {
                return
            }
        }
    }
}

extension RateLimiter {
    /// Nanoseconds until the bucket is full; never more than the rule's bucket holds.
    private func debt(of charge: Charge, in slot: Int?, at now: Int64) -> Int64 {
        if let slot { return table.buckets[slot].debt(under: charge.rule, at: now) }
        if table.hasRoom(at: now) { return 0 }
        return min(max(0, sharedFullAt[charge.key.scope.number] - now), charge.rule.capacity)
    }

    private mutating func charge(_ charges: [Charge], cost: LimitCost, noting receipt: inout Receipt, at now: Int64) {
        // Those that have a bucket come first: a new one may take over any slot.
        for (charge, slot) in zip(charges, found) where slot >= 0 {
            let slot = Int(slot)
            let bucket = table.buckets[slot]
            let fullAt = charge.fullAt(after: cost, owing: bucket.debt(under: charge.rule, at: now), at: now)
            table.set(
                slot, fullAt: fullAt, payableAt: charge.rule.payable(fullAt),
                busySince: bucket.fullAt <= now ? now : bucket.busySince, interval: charge.rule.interval)
            note(charge.key, fullIn: fullAt - now, interval: charge.rule.interval)
        }
        for (charge, slot) in zip(charges, found) where slot < 0 {
            let fullAt = charge.fullAt(after: cost, owing: 0, at: now)
            let interval = charge.rule.interval
            switch table.insert(
                charge.key, fullAt: fullAt, payableAt: charge.rule.payable(fullAt), interval: interval, at: now)
            {
            case .tookOver(let gone):
                if notesChanges { changes.append(.gone(gone)) }
                note(charge.key, fullIn: fullAt - now, interval: interval)
            case .grew:
                note(charge.key, fullIn: fullAt - now, interval: interval)
            case .noRoom:
                let scope = charge.key.scope.number
                receipt.shared |= 1 << scope
                let owed = max(0, sharedFullAt[scope] - now)
                sharedFullAt[scope] = charge.fullAt(after: cost, owing: owed, at: now)
            }
        }
    }

    private mutating func note(_ key: LimitKey, fullIn: Int64, interval: Int64) {
        guard notesChanges else { return }
        changes.append(.used(SavedLimit(key: key, fullIn: .nanoseconds(fullIn), interval: interval)))
    }

    /// The limiter's time never runs backwards, whatever clock it is given.
    private mutating func advance(to now: ContinuousClock.Instant) -> Int64 {
        if start == nil { start = now }
        latest = max(latest, nanoseconds(at: now))
        return latest
    }

    private func nanoseconds(at now: ContinuousClock.Instant) -> Int64 {
        start.map { $0.duration(to: now).wholeNanoseconds } ?? 0
    }
}

extension Charge {
    fileprivate func fullAt(after cost: LimitCost, owing debt: Int64, at now: Int64) -> Int64 {
        now + min(debt + cost.nanoseconds(under: rule), rule.capacity)
    }
}

extension BucketTable.Bucket {
    /// Nanoseconds until it is full. When the rule is another than that of the last charge, as many tokens are used as
    /// were used before, and never more than the new bucket holds.
    fileprivate func debt(under rule: RateLimitRule, at now: Int64) -> Int64 {
        let debt = max(0, fullAt - now)
        if interval == rule.interval || interval == 0 || debt == 0 { return min(debt, rule.capacity) }
        let scaled = (Int128(debt) * Int128(rule.interval) + Int128(interval - 1)) / Int128(interval)
        return Int64(min(scaled, Int128(rule.capacity)))
    }
}

extension RateLimitRule {
    /// When a bucket that is full at `fullAt` can pay for a whole command.
    fileprivate func payable(_ fullAt: Int64) -> Int64 {
        fullAt - (capacity - interval)
    }
}

extension LimitScope {
    fileprivate var number: Int {
        switch self {
        case .user: 0
        case .channel: 1
        case .userInChannel: 2
        case .network: 3
        case .global: 4
        }
    }
}

extension Duration {
    /// Rounded down, and kept within about 280 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, -9_000_000_000), 9_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
