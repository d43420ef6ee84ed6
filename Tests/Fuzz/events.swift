import JSON
import Matrix
import MatrixCrypto

/// What stands in a room's `m.room.encrypted`: an envelope that a server or anybody made up, and a plaintext that a member of the
/// room did.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Input(data, size).bytes
    do {
        let devices = try Devices(knowingAda: true)
        if let content = try? JSONValue(parsing: bytes) {
            let event = EncryptedEvent(id: "$0", sender: ada, content: content)
            if case .clear = try devices.machine.decrypt(event, in: room, now: now) {
                must(false, "nobody can make up an envelope")
            }
        }
        let session = try devices.makeSession()
        _ = try devices.received([
            try devices.letter(
                type: "m.room_key",
                [
                    "algorithm": "m.megolm.v1.aes-sha2", "room_id": .string(room), "session_id": .string(session.id),
                    "session_key": .string(try session.sessionKey()),
                ])
        ])
        let envelope = devices.envelope(try session.encrypt(bytes), of: session)
        switch try devices.machine.decrypt(envelope, in: room, now: now) {
        case .clear(_, let content):
            must((try? JSONValue(parsing: bytes))?["room_id"] == .string(room), "a message stays in its room")
            _ = EventContent(content)
        case .missingKey: must(false, "the key is there")
        case .refused: break
        }
    } catch {
        must(false, "no message stops the machine")
    }
    return 0
}
