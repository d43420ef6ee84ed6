/// Our session in one room, and who has its key.
struct OutboundRoom {
    let session: any OutboundGroupSession
    var stored: StoredOutboundGroupSession
    /// Who has the key.
    var given: Set<SessionRecipient> = []
    /// Who was told that it won't come.
    var told: Set<SessionRecipient> = []
    /// Whom the key is on its way to, or waits for a session with.
    var waiting: [SessionPeer: Device] = [:]
    /// By call: who it is on its way to, and whether it is the key or its refusal.
    var inFlight: [UInt64: [SessionRecipient]] = [:]
    /// Those of these calls that have failed for long: they are made on, and nobody waits for them.
    var delayed: Set<UInt64> = []
    /// For whom everything was ready, so that the next `prepare` needs no second look.
    var ready: Ready?

    struct Ready: Equatable {
        let audience: RoomAudience
        let generation: UInt64
        /// When a device that couldn't be reached is tried again.
        let until: Int64?
    }

    /// Whether the key is still on its way to somebody; refusals need not arrive first.
    var isSharing: Bool { !waiting.isEmpty || isSending }
    var isSending: Bool {
        inFlight.contains { !delayed.contains($0.key) && $0.value.first?.isWithheld == false }
    }
    /// Whether somebody may have the key, or not, as the server took the call or not.
    var isUncertain: Bool { inFlight.values.contains { $0.first?.isWithheld == false } }

    /// Nobody else gets the key.
    mutating func keepWaiting(_ readers: [Device]) {
        guard !waiting.isEmpty else { return }
        let peers = Set(readers.map { SessionPeer($0) })
        waiting = waiting.filter { peers.contains($0.key) }
    }

    /// Everybody who has the key or may have it soon.
    var mayRead: Set<SessionRecipient> {
        inFlight.values.reduce(into: given) { all, some in all.formUnion(some.filter { !$0.isWithheld }) }
    }
}

extension SessionRecipient {
    init(_ device: Device, isWithheld: Bool) {
        self.init(
            user: device.user, device: device.id, identityKey: device.curve25519, isWithheld: isWithheld)
    }
}
