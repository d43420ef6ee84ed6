import CLinux

/// What a descriptor is watched for. Errors and hang-ups are always told.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let read = Interest(rawValue: 1)
    public static let write = Interest(rawValue: 2)

    var events: UInt32 {
        (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
    }
}

/// What a descriptor is ready for. After an error or hang-up it counts as ready for both, so that the next call on it
/// meets the error itself.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)

    init(events: UInt32) {
        let broken = events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        self = []
        if broken || events & EPOLLIN.rawValue != 0 { insert(.readable) }
        if broken || events & EPOLLOUT.rawValue != 0 { insert(.writable) }
    }
}

/// Names one watched descriptor. Slots are used again, numbers are not: an event or a call that comes too late finds
/// another generation in the slot and is dropped.
public struct Registration: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32

    /// As it travels through epoll's user data.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(token: UInt64) {
        slot = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }
}
