import Base
import Chat
import RateLimiter

/// Charges what a command costs to every limit in force, all or none.
struct Admission {
    private var limiter = RateLimiter()

    /// Refusals that nobody was told.
    var silentRefusals: UInt64 { limiter.silentRefusals }

    mutating func admit(
        _ message: ChatMessage, limits: ChannelSettings.Limits, cost: LimitCost, isExempt: Bool, at now: Instant
    ) -> Decision {
        let place = message.conversation
        return limiter.take(
            isExempt ? [] : limits.charges(for: message), cost: cost, in: place.network + "/" + place.name, at: now)
    }

    mutating func giveBack(_ receipt: Receipt, at now: Instant) {
        limiter.giveBack(receipt, at: now)
    }

    func remaining(
        for message: ChatMessage, limits: ChannelSettings.Limits, at now: Instant
    ) -> [(scope: LimitScope, rule: RateLimitRule, left: Remaining)] {
        limits.charges(for: message).map { charge in
            (charge.key.scope, charge.rule, limiter.remaining(for: charge, at: now))
        }
    }

    /// The limits in use, for keeping over a restart.
    func saved(at now: Instant, wall: WallTime) -> [SavedBucket] {
        limiter.snapshot(at: now).map { SavedBucket(key: $0.key, fullAt: wall.advanced(by: $0.fullIn)) }
    }

    mutating func restore(_ buckets: [SavedBucket], at now: Instant, wall: WallTime) {
        limiter.restore(
            buckets.map {
                SavedLimit(key: $0.key, fullIn: .milliseconds($0.fullAt.milliseconds - wall.milliseconds))
            }, at: now)
    }
}

extension ChannelSettings.Limits {
    fileprivate func charges(for message: ChatMessage) -> [Charge] {
        var charges: [Charge] = []
        charges.reserveCapacity(5)
        func add(_ scope: LimitScope, _ rule: RateLimitRule?) {
            guard let rule else { return }
            let key = LimitKey(
                scope, network: message.conversation.network, conversation: message.conversation.name,
                user: message.sender.key)
            charges.append(Charge(key, rule))
        }
        add(.user, user)
        add(.channel, channel)
        add(.userInChannel, userInChannel)
        add(.network, network)
        add(.global, global)
        return charges
    }
}
