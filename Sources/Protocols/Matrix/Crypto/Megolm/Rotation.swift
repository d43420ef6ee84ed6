/// When a session is not to be used any longer ("m.megolm.v1.aes-sha2").
enum Rotation {
    static func isDue(
        _ room: OutboundRoom, _ settings: RoomEncryption, audience: RoomAudience, now: Int64
    ) -> Bool {
        isDue(room.stored, settings, now: now) || room.stored.historyVisibility != audience.historyVisibility
    }

    static func isDue(_ session: StoredOutboundGroupSession, _ settings: RoomEncryption, now: Int64) -> Bool {
        let bounded = settings.withinBounds
        // A clock that was set back is no reason to use it for ever.
        return session.messageCount >= bounded.rotationMessages || now >= session.made + bounded.rotationPeriod
            || now < session.made - bounded.rotationPeriod
    }

    /// Somebody who may have the key isn't among those who may read: a person left, or a device was logged out or lost its
    /// standing.
    static func hasLeavers(_ room: OutboundRoom, among readers: Set<SessionRecipient>) -> Bool {
        !room.mayRead.isSubset(of: readers)
    }
}
