import Base
import Chat
import RateLimiter

/// Charges what a command costs to every limit in force, all or none, and has the store keep what is used.
@Loop struct Admission {
    private var limiter = RateLimiter(notesChanges: true)
    private var windows = RefusalWindows()
    private let store: any BotStore
    private let clock: any LoopClock

    /// Takes up the limits that the store has kept.
    init(store: any BotStore, clock: any LoopClock) {
        self.store = store
        self.clock = clock
        let wall = clock.wall.milliseconds
        limiter.restore(
            store.takeSavedBuckets().map {
                SavedLimit(
                    key: $0.key, fullIn: .milliseconds($0.fullAt.milliseconds - wall), interval: $0.interval)
            }, at: clock.now)
    }

    mutating func admit(
        _ message: ChatMessage, limits: ChannelSettings.Limits, cost: LimitCost, isExempt: Bool, at now: Instant
    ) -> Decision {
        let decision = limiter.take(isExempt ? [] : limits.charges(for: message), cost: cost, at: now)
        keepChanges()
        return decision
    }

    mutating func giveBack(_ receipt: Receipt, at now: Instant) {
        limiter.giveBack(receipt, at: now)
        keepChanges()
    }

    func remaining(
        for message: ChatMessage, limits: ChannelSettings.Limits, at now: Instant
    ) -> [(scope: LimitScope, rule: RateLimitRule, left: Remaining)] {
        limits.charges(for: message).map { charge in
            (charge.key.scope, charge.rule, limiter.remaining(for: charge, at: now))
        }
    }

    /// Whether the sender of a refused message is still to be told.
    mutating func mayTell(_ refusal: Refusal, _ message: ChatMessage, at now: Instant) -> Bool {
        windows.mayTell(message.sender.key, of: refusal, in: message.conversation.place, at: now)
    }

    /// The refusal was told in the conversation, for want of a private way.
    mutating func toldAll(_ refusal: Refusal, _ message: ChatMessage) {
        windows.toldAll(of: refusal, in: message.conversation.place)
    }

    private mutating func keepChanges() {
        let wall = clock.wall
        let store = store
        limiter.takeChanges { change in
            switch change {
            case .used(let limit):
                // A millisecond more, since the rest of one is cut off.
                let fullAt = wall.advanced(by: limit.fullIn + .milliseconds(1))
                store.record(SavedBucket(key: limit.key, fullAt: fullAt, interval: limit.interval))
            case .gone(let key): store.forget(bucket: key)
            }
        }
    }
}

extension Conversation {
    /// Tells conversations apart.
    fileprivate var place: String { network + (isDirect ? " @" : " ") + name }
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
