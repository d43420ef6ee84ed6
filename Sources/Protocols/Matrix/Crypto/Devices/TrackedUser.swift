/// A person whose devices are followed, with what isn't worth keeping over a restart.
struct TrackedUser {
    /// Milliseconds.
    private static let firstPause: Int64 = 15_000
    private static let longestPause: Int64 = 3_600_000

    var stored: StoredUser
    /// The devices were told at least once.
    var isKnown: Bool
    /// Counts the changes told, so that an answer to an earlier question is known as such.
    var changes: UInt64 = 0
    var isAsked = false
    private(set) var failures = 0
    private(set) var notBefore: Int64 = 0
    /// Since when an answer is awaited.
    private var awaitedSince: Int64?
    private var isLate = false

    /// Nothing is to be waited for: what is known is the newest, or the newest can't be had now.
    var isCurrent: Bool { !stored.isOutdated || failures > 0 || isLate }

    /// A server that tells change after change and is slow to say which holds nobody up.
    private static let patience: Int64 = 20_000

    init(_ stored: StoredUser, isKnown: Bool) {
        self.stored = stored
        self.isKnown = isKnown
    }

    mutating func asked() {
        isAsked = true
    }

    /// From the first look on an answer is awaited, also when others' questions come first.
    mutating func lookAtTheClock(now: Int64) {
        guard let awaitedSince else { return self.awaitedSince = now }
        if now - awaitedSince >= Self.patience { isLate = true }
    }

    var lateAt: Int64? { isLate ? nil : awaitedSince.map { $0 + Self.patience } }

    /// Asked for again at once.
    mutating func changed() {
        changes += 1
        notBefore = 0
    }

    /// The person's server didn't answer: asked again later, and nobody waits for it meanwhile.
    mutating func failed(now: Int64) {
        notBefore = now + min(Self.firstPause << Int64(min(failures, 12)), Self.longestPause)
        failures += 1
    }

    mutating func answered(isNewest: Bool) {
        failures = 0
        notBefore = 0
        guard isNewest else { return }
        awaitedSince = nil
        isLate = false
    }
}

extension StoredUser {
    func outdated(_ isOutdated: Bool) -> StoredUser {
        StoredUser(id: id, isOutdated: isOutdated, devices: devices, identity: identity)
    }
}
