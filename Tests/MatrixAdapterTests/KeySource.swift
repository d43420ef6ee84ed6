import Base
import JSON
import Libolm
import MatrixAdapter
import MatrixCrypto
import OpenSSL
import Synchronization
import TestSupport

/// Machines over one store in memory, which may not be had at first.
final class KeySource: CryptoSource, @unchecked Sendable {
    private struct State {
        var troubles: Int
        var trouble: CryptoError
        var timesOpened = 0
        var trusts: [DeviceTrust] = []
    }

    static let pickleKey = [UInt8](repeating: 7, count: 32)

    /// Used by one machine at a time, but for its faults.
    let store: MemoryKeyStore
    private let state: Mutex<State>

    /// The first `troubles` times there is no machine.
    init(
        troubles: Int = 0, of trouble: CryptoError = .store("the disk is full"),
        store: MemoryKeyStore = MemoryKeyStore()
    ) {
        self.store = store
        state = Mutex(State(troubles: troubles, trouble: trouble))
    }

    /// So often from now on the store can't be opened.
    func breaks(times: Int) { state.withLock { $0.troubles = times } }

    var timesOpened: Int { state.withLock(\.timesOpened) }
    var trusts: [DeviceTrust] { state.withLock(\.trusts) }

    var attachments: AttachmentCipher {
        AttachmentCipher(
            random: { randomBytes($0) }, aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) },
            sha256: { SHA256.hash($0) })
    }

    func machine(user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust) throws(CryptoError)
        -> OlmMachine
    {
        let trouble = state.withLock { state -> CryptoError? in
            guard state.troubles > 0 else {
                state.timesOpened += 1
                state.trusts.append(trust)
                return nil
            }
            state.troubles -= 1
            return state.trouble
        }
        if let trouble { throw trouble }
        return try OlmMachine(
            userID: user, deviceID: device, driver: LibolmDriver(random: { randomBytes($0) }), store: store,
            pickleKey: Self.pickleKey, trust: trust, random: { randomBytes($0) })
    }

    /// Somebody's session in a room, whose key comes when the test says so.
    struct GroupSession {
        fileprivate let outbound: any OutboundGroupSession
        fileprivate let key: String
        private let room: String

        init(in room: String) throws {
            self.room = room
            outbound = try LibolmDriver(random: { randomBytes($0) }).makeOutboundGroupSession()
            key = try outbound.sessionKey()
        }

        var id: String { outbound.id }

        /// The content of an event that says so.
        func says(_ text: String) throws -> JSONValue {
            let plain = try JSONWriter.canonical([
                "type": "m.room.message", "room_id": .string(room),
                "content": ["msgtype": "m.text", "body": .string(text)],
            ])
            return [
                "algorithm": "m.megolm.v1.aes-sha2", "session_id": .string(id),
                "ciphertext": .string(try outbound.encrypt(plain)),
            ]
        }
    }

    /// What is written when a device of theirs, which was seen before, has sent the key.
    static func key(of session: GroupSession, from sender: String, in room: String) throws -> CryptoChanges {
        let inbound = try LibolmDriver(random: { randomBytes($0) }).inboundGroupSession(sessionKey: session.key)
        var changes = CryptoChanges()
        let name = GroupSessionName(room: room, session: session.id, sender: sender)
        changes.inboundGroupSessions[name] = StoredInboundGroupSession(
            name: name, identityKey: "c", signingKey: "e", pickle: try inbound.pickle(key: pickleKey),
            firstIndex: 0, received: 0, isTrusted: true)
        return changes
    }
}
