import MatrixCrypto
import State
import TestSupport
import Testing

/// What every store of keys has to do; the one in memory is what the machine's own tests run on.
@Suite struct CryptoStoreTests {
    enum Kind: CaseIterable { case memory, database }

    /// Makes the same store again, as after a restart; the one in memory has none.
    private final class Case {
        let scratch = Scratch()
        let kind: Kind
        var store: any CryptoStore

        init(_ kind: Kind) throws {
            self.kind = kind
            try scratch.write([], to: "x")
            store = try kind == .memory ? MemoryKeyStore() : scratch.keys().open().store
        }

        func reopen() throws {
            if kind == .database { store = try scratch.keys().open().store }
        }
    }

    @Test(arguments: Kind.allCases) fileprivate func accountAndValues(_ kind: Kind) throws {
        let one = try Case(kind)
        #expect(try one.store.account() == nil && one.store.value(of: "a") == nil)
        let account = StoredAccount(userID: "@g:x", deviceID: "DEV", pickle: [0, 1, 255], isUploaded: false)
        try one.store.write(
            changes {
                $0.account = account
                $0.values = ["a": [0, 9], "b": []]
            })
        try one.reopen()
        #expect(try one.store.account() == account)
        #expect(try one.store.value(of: "a") == [0, 9] && one.store.value(of: "b") == [])
        let uploaded = StoredAccount(userID: "@g:x", deviceID: "DEV", pickle: [2], isUploaded: true)
        try one.store.write(
            changes {
                $0.account = uploaded
                $0.values.updateValue(nil, forKey: "a")
            })
        try one.reopen()
        #expect(try one.store.account() == uploaded)
        #expect(try one.store.value(of: "a") == nil && one.store.value(of: "b") == [])
    }

    @Test("sessions of a device, last used first", arguments: Kind.allCases)
    fileprivate func olmSessions(_ kind: Kind) throws {
        let one = try Case(kind)
        try one.store.write(
            changes {
                $0.olmSessions = [
                    "a": olmSession("a", used: 5), "b": olmSession("b", used: 9), "c": olmSession("c", of: "other"),
                ]
            })
        try one.reopen()
        #expect(try one.store.olmSessions(with: "curve").map(\.id) == ["b", "a"])
        let later = olmSession("a", used: 10, pickle: [7, 0])
        try one.store.write(
            changes {
                $0.olmSessions = ["a": later]
                $0.removedOlmSessions = ["b"]
            })
        try one.reopen()
        #expect(try one.store.olmSessions(with: "curve") == [later])
        #expect(try one.store.olmSessions(with: "other").map(\.id) == ["c"])
        #expect(try one.store.olmSessions(with: "nobody").isEmpty)
    }

    @Test("a session of one room or sender is none of another's", arguments: Kind.allCases)
    fileprivate func inbound(_ kind: Kind) throws {
        let one = try Case(kind)
        let sessions = [
            inboundSession(sessionName("s"), received: 1), inboundSession(sessionName("s", in: "!other"), received: 3),
            inboundSession(sessionName("t"), received: 2), inboundSession(sessionName("s", of: "@b:x"), received: 9),
        ]
        try one.store.write(changes { for session in sessions { $0.inboundGroupSessions[session.name] = session } })
        try one.reopen()
        for session in sessions { #expect(try one.store.inboundGroupSession(session.name) == session) }
        #expect(try one.store.inboundGroupSession(sessionName("t", in: "!other")) == nil)
        #expect(
            try one.store.inboundGroupSessions(of: "@a:x", beyond: 1) == [sessionName("t"), sessionName("s")])
        #expect(try one.store.inboundGroupSessions(of: "@a:x", beyond: 3).isEmpty)
    }

    @Test(
        "the first event of an index stays; indices go with their session and beyond the window",
        arguments: Kind.allCases)
    fileprivate func seen(_ kind: Kind) throws {
        let one = try Case(kind)
        let name = sessionName("s")
        let other = sessionName("s", in: "!other")
        func see(_ index: UInt32, _ event: String, of name: GroupSessionName = sessionName("s")) throws {
            try one.store.write(changes { $0.seenIndices = [SeenIndex(session: name, index: index, event: event)] })
        }
        try one.store.write(
            changes { $0.inboundGroupSessions = [name: inboundSession(name), other: inboundSession(other)] })
        #expect(try one.store.highestIndex(of: name) == nil)
        try see(4, "$first")
        try see(4, "$second")
        try see(4, "$elsewhere", of: other)
        try one.reopen()
        #expect(try one.store.event(at: 4, of: name) == "$first")
        #expect(try one.store.event(at: 4, of: other) == "$elsewhere")
        #expect(try one.store.event(at: 5, of: name) == nil)
        #expect(try one.store.event(at: 4, of: sessionName("s", of: "@b:x")) == nil)
        try see(3 + CryptoLimits.replayWindow, "$high")
        #expect(try one.store.event(at: 4, of: name) == "$first")
        try see(4 + CryptoLimits.replayWindow, "$higher")
        #expect(try one.store.event(at: 4, of: name) == nil)
        #expect(try one.store.highestIndex(of: name) == 4 + CryptoLimits.replayWindow)
        try see(.max, "$highest")
        #expect(try one.store.highestIndex(of: name) == .max)
        try one.store.write(changes { $0.removedInboundGroupSessions = [name] })
        try one.reopen()
        #expect(try one.store.inboundGroupSession(name) == nil && one.store.highestIndex(of: name) == nil)
        #expect(try one.store.event(at: 4, of: other) == "$elsewhere")
    }

    @Test("who has a key goes with its session", arguments: Kind.allCases)
    fileprivate func outbound(_ kind: Kind) throws {
        let one = try Case(kind)
        func session(_ id: String, _ count: Int) -> StoredOutboundGroupSession {
            StoredOutboundGroupSession(
                id: id, room: "!r", pickle: [UInt8(count)], made: 4, messageCount: count, historyVisibility: "shared")
        }
        func person(_ device: String, withheld: Bool = false) -> SessionRecipient {
            SessionRecipient(user: "@a:x", device: device, identityKey: "k", isWithheld: withheld)
        }
        try one.store.write(
            changes {
                $0.outboundGroupSessions = ["!r": session("s", 0)]
                $0.recipients = ["s": [person("A"), person("B", withheld: true)]]
            })
        try one.store.write(
            changes {
                $0.outboundGroupSessions = ["!r": session("s", 1)]
                $0.recipients = ["s": [person("C"), person("A")]]
            })
        try one.reopen()
        #expect(try one.store.outboundGroupSession(in: "!r") == session("s", 1))
        #expect(
            try Set(one.store.recipients(of: "s")) == [person("A"), person("B", withheld: true), person("C")])
        try one.store.write(
            changes {
                $0.outboundGroupSessions = ["!r": session("t", 0)]
                $0.recipients = ["t": [person("A")]]
            })
        try one.reopen()
        #expect(try one.store.recipients(of: "s").isEmpty && one.store.recipients(of: "t") == [person("A")])
        try one.store.write(changes { $0.outboundGroupSessions.updateValue(nil, forKey: "!r") })
        try one.reopen()
        #expect(try one.store.outboundGroupSession(in: "!r") == nil && one.store.recipients(of: "t").isEmpty)
    }

    @Test(arguments: Kind.allCases) fileprivate func users(_ kind: Kind) throws {
        let one = try Case(kind)
        func device(_ id: String, signed: Bool) -> Device {
            Device(
                user: "@a:x", id: id, curve25519: "c" + id, ed25519: "e" + id, algorithms: ["m.olm", "m.megolm"],
                isCrossSigned: signed)
        }
        let known = StoredUser(
            id: "@a:x", isOutdated: true, devices: [device("B", signed: true), device("A", signed: false)],
            identity: UserIdentity(masterKey: "m", selfSigningKey: nil))
        let unknown = StoredUser(id: "@b:x", isOutdated: false, devices: [], identity: nil)
        try one.store.write(changes { $0.users = ["@b:x": unknown, "@a:x": known] })
        try one.reopen()
        #expect(try one.store.trackedUsers() == [known, unknown])
        #expect(try one.store.user("@a:x") == known && one.store.user("@c:x") == nil)
        let fewer = StoredUser(
            id: "@a:x", isOutdated: false, devices: [device("A", signed: true)],
            identity: UserIdentity(masterKey: "m", selfSigningKey: "s"))
        try one.store.write(
            changes {
                $0.users["@a:x"] = fewer
                $0.users.updateValue(nil, forKey: "@b:x")
            })
        try one.reopen()
        #expect(try one.store.trackedUsers() == [fewer])
    }

    @Test(arguments: Kind.allCases) fileprivate func rooms(_ kind: Kind) throws {
        let one = try Case(kind)
        let first = RoomEncryption(rotationMessages: 100, rotationPeriod: 604_800_000)
        try one.store.write(changes { $0.encryptedRooms = ["!a": first, "!b": first] })
        let second = RoomEncryption(rotationMessages: 2, rotationPeriod: 1)
        try one.store.write(changes { $0.encryptedRooms = ["!b": second] })
        try one.reopen()
        #expect(try one.store.encryptedRooms() == ["!a": first, "!b": second])
    }
}
