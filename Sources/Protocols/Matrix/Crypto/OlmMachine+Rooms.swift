public import JSON

extension OlmMachine {
    /// A state event `m.room.encryption` was seen; it holds from now on, whatever later states say. Of later settings the
    /// numbers are taken.
    public func noteEncryption(of room: String, _ settings: RoomEncryption) throws(CryptoError) {
        try step { () throws(CryptoError) in note(settings.withinBounds, of: room) }
    }

    /// Whether a room was ever seen to be encrypted.
    public func isEncrypted(_ room: String) -> Bool { context.encryptedRooms[room] != nil }

    public var encryptedRooms: Set<String> { Set(context.encryptedRooms.keys) }

    /// An `m.room.encrypted` of a room's timeline.
    ///
    /// `missingKey` also when the sender's devices aren't known yet; `CryptoEvent.roomKey` says when to try again. Asks for the
    /// key at most once an hour.
    public func decrypt(_ event: EncryptedEvent, in room: String, now: Int64) throws(CryptoError) -> Decryption {
        try requireOwnKeys()
        return try step { () throws(CryptoError) in try roomReader.decrypt(event, in: room, now: now) }
    }

    /// Before each message: looks whether a new session is due, who lacks its key, and whose devices have to be asked for.
    /// `waiting` until the calls it made are answered or given up; then it is asked again. Costs next to nothing when nobody
    /// lacks anything.
    public func prepare(_ audience: RoomAudience, now: Int64) throws(CryptoError) -> RoomReadiness {
        try requireOwnKeys()
        return try step { () throws(CryptoError) in
            try keySharing.prepare(audience, settings(of: audience.room), now: now)
        }
    }

    /// The content of the `m.room.encrypted` to send. `m.relates_to` stays outside, in clear, the rest goes inside. Only after
    /// `prepare` said `ready`; throws `CryptoError.notPrepared` otherwise.
    public func encrypt(type: String, content: JSONValue, in room: String, now: Int64) throws(CryptoError) -> JSONValue
    {
        try requireOwnKeys()
        return try step { () throws(CryptoError) in
            try roomWriter.encrypt(type: type, content: content, in: room, settings(of: room), now: now)
        }
    }

    /// The next message begins a new session: after a limited sync with memberships other than `join`, and when the history
    /// visibility changed. People and devices that left are seen by `prepare` itself.
    public func forgetOutboundSession(in room: String) throws(CryptoError) {
        try step { () throws(CryptoError) in outbound.forget(room) }
    }

    private func settings(of room: String) -> RoomEncryption { context.encryptedRooms[room] ?? .standard }
}
