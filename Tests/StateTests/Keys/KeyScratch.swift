import Base
import MatrixCrypto
import State
import TestSupport

extension Scratch {
    /// The keys of one account, at noon of some day.
    func keys(_ account: String = "home", at now: Int64 = 1_800_000_000_000) -> KeyFiles {
        KeyFiles(
            folder: folder, account: account, log: Log("test", to: log), now: { now },
            random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } })
    }
}

extension KeyFiles {
    func open() throws(CryptoError) -> Opened { try open(user: "@g:x", device: "DEV") }
}

func olmSession(_ id: String, of key: String = "curve", used: Int64 = 0, pickle: [UInt8] = [1]) -> StoredOlmSession {
    StoredOlmSession(id: id, identityKey: key, pickle: pickle, made: 0, used: used)
}

func sessionName(_ id: String, in room: String = "!r", of sender: String = "@a:x") -> GroupSessionName {
    GroupSessionName(room: room, session: id, sender: sender)
}

func inboundSession(_ name: GroupSessionName, received: Int64 = 0) -> StoredInboundGroupSession {
    StoredInboundGroupSession(
        name: name, identityKey: "curve", signingKey: "ed", pickle: [0, 255, 7], firstIndex: 3, received: received,
        isTrusted: true)
}

func changes(_ fill: (inout CryptoChanges) -> Void) -> CryptoChanges {
    var changes = CryptoChanges()
    fill(&changes)
    return changes
}
