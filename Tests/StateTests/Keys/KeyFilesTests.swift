import Foundation
import MatrixCrypto
import SQLite
@testable import State
import TestSupport
import Testing

@Suite struct KeyFilesTests {
    private static let account = StoredAccount(userID: "@g:x", deviceID: "DEV", pickle: [1, 2], isUploaded: true)

    private static func scratch(withKeys: Bool = true) throws -> Scratch {
        let scratch = Scratch()
        try scratch.write([], to: "x")
        guard withKeys else { return scratch }
        try scratch.keys().open().store.write(changes { $0.account = account })
        return scratch
    }

    @Test("all files are for the owner alone from the beginning") func modes() throws {
        let scratch = try Self.scratch(withKeys: false)
        let opened = try scratch.keys().open()
        #expect(opened.pickleKey.count == 32)
        try opened.store.write(changes { $0.account = Self.account })
        try scratch.keys().keep(recoveryKey: "EsT abc")
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder).filter { $0 != "x" }
        #expect(
            Set(names) == [
                "keys-home.db", "keys-home.db-wal", "keys-home.db-shm", "keys-home.secret", "recovery-key-home",
            ])
        for name in names { #expect(try scratch.mode(name) == 0o600, "\(name)") }
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("a file copied with other rights gets its own back") func copied() throws {
        let scratch = try Self.scratch()
        for name in ["keys-home.db", "keys-home.secret"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scratch.file(name))
        }
        #expect(try scratch.keys().open().store.account() == Self.account)
        #expect(try scratch.mode("keys-home.db") == 0o600 && scratch.mode("keys-home.secret") == 0o600)
    }

    @Test("the secret stays the same, and each account has its own") func secret() throws {
        let scratch = try Self.scratch()
        let key = try scratch.keys().open().pickleKey
        #expect(try scratch.keys().open().pickleKey == key)
        #expect(try scratch.keys("other").open().pickleKey != key)
        #expect(try scratch.keys("other").open().store.account() == nil)
        #expect(!scratch.log.lines.joined().contains(key.map { String($0, radix: 16) }.joined()))
    }

    @Test("keys without their secret are set aside, with one line", arguments: [nil, [], [1, 2, 3]] as [[UInt8]?])
    func noSecret(_ secret: [UInt8]?) throws {
        let scratch = try Self.scratch()
        if let secret {
            try scratch.write(secret, to: "keys-home.secret")
        } else {
            try FileManager.default.removeItem(atPath: scratch.file("keys-home.secret"))
        }
        let opened = try scratch.keys().open()
        #expect(try opened.store.account() == nil && opened.pickleKey.count == 32)
        #expect(scratch.exists("keys-home.db.broken-1"))
        #expect(scratch.log.lines.count == 1)
        #expect(try scratch.keys().open().pickleKey == opened.pickleKey)
    }

    @Test("a broken file is set aside, with one line") func broken() throws {
        let scratch = try Self.scratch()
        let key = try scratch.keys().open().pickleKey
        for name in ["keys-home.db-wal", "keys-home.db-shm"] {
            try? FileManager.default.removeItem(atPath: scratch.file(name))
        }
        try scratch.write(
            Array("no database, and long enough for a header of one hundred bytes".utf8), to: "keys-home.db")
        let opened = try scratch.keys().open()
        #expect(try opened.store.account() == nil && opened.pickleKey == key)
        #expect(scratch.exists("keys-home.db.broken-1") && scratch.log.lines.count == 1)
        try opened.store.write(changes { $0.account = Self.account })
        #expect(try scratch.keys().open().store.account() == Self.account)
    }

    @Test("found broken while in use: set aside, and nothing works until the next start") func brokenLater() throws {
        let scratch = try Self.scratch()
        let store = try scratch.keys().open().store
        try store.write(changes { $0.values = ["a": [UInt8](repeating: 1, count: 200_000)] })
        try Database(path: scratch.file("keys-home.db"), busyTimeout: .zero).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let size = try #require(FileManager.default.contents(atPath: scratch.file("keys-home.db"))).count
        let file = try #require(FileHandle(forUpdatingAtPath: scratch.file("keys-home.db")))
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: size - 4096))
        try file.close()
        #expect(throws: CryptoError.self) {
            // Cached pages may hide it for a while.
            for index in 0..<2000 {
                _ = try store.value(of: "a"); try store.write(changes { $0.values = ["n\(index)": [1]] })
            }
        }
        #expect(scratch.exists("keys-home.db.broken-1"))
        do throws(CryptoError) {
            _ = try store.account()
            Issue.record("it works")
        } catch {
            guard case .storeLost = error else { throw error }
        }
        #expect(try scratch.keys().open().store.account() == nil)
    }

    @Test("what a newer program wrote is left alone, and so is somebody else's file") func newer() throws {
        let scratch = try Self.scratch()
        try Database(path: scratch.file("keys-home.db"), busyTimeout: .zero).execute("PRAGMA user_version = 99")
        #expect(throws: CryptoError.self) { try scratch.keys().open() }
        #expect(!scratch.exists("keys-home.db.broken-1"))
    }

    @Test("a store in use by another process is told, not set aside") func busy() throws {
        let scratch = try Self.scratch()
        let store = try scratch.keys().open().store
        let other = try Database(path: scratch.file("keys-home.db"), busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        #expect(throws: CryptoError.store("SQLite 5: database is locked")) {
            try store.write(changes { $0.values = ["a": [1]] })
        }
        try other.execute("ROLLBACK")
        try store.write(changes { $0.values = ["a": [1]] })
        #expect(try store.value(of: "a") == [1])
        #expect(!scratch.exists("keys-home.db.broken-1"))
    }

    @Test("killed, everything written is there") func killed() throws {
        let scratch = try Self.scratch()
        let store = try scratch.keys().open().store
        for index in 0..<20 { try store.write(changes { $0.values = ["v\(index)": [UInt8(index)]] }) }
        let after = try scratch.killed()
        try? FileManager.default.removeItem(atPath: after.file("keys-home.db-shm"))
        let again = try after.keys().open().store
        #expect(try again.account() == Self.account)
        for index in 0..<20 { #expect(try again.value(of: "v\(index)") == [UInt8(index)]) }
    }

    @Test("set aside on purpose, the next one begins anew") func setAside() throws {
        let scratch = try Self.scratch()
        try scratch.keys().setAside()
        #expect(scratch.exists("keys-home.db.broken-1"))
        #expect(try scratch.keys().open().store.account() == nil)
        try scratch.keys().setAside()
        #expect(scratch.exists("keys-home.db.broken-2"))
        try scratch.keys().setAside()
        #expect(!scratch.exists("keys-home.db.broken-3"), "nothing there")
        #expect(scratch.log.lines.count == 2)
    }

    private static let settings = RoomEncryption(rotationMessages: 100, rotationPeriod: 1)

    private static func filled() throws -> Scratch {
        let scratch = try Self.scratch()
        try scratch.keys().open().store.write(
            changes {
                $0.olmSessions = ["o": olmSession("o")]
                $0.inboundGroupSessions = [sessionName("s"): inboundSession(sessionName("s"))]
                $0.users = ["@a:x": StoredUser(id: "@a:x", isOutdated: false, devices: [], identity: nil)]
                $0.encryptedRooms = ["!r": settings]
                $0.values = ["cross_signing.seeds": Array("S33DS".utf8), "devices.position": Array("P0S".utf8)]
            })
        return scratch
    }

    private static func expectNew(_ store: any CryptoStore, seeds: Bool) throws {
        #expect(try store.account() == nil && store.olmSessions(with: "curve").isEmpty && store.trackedUsers().isEmpty)
        #expect(try store.inboundGroupSession(sessionName("s")) == nil && store.value(of: "devices.position") == nil)
        #expect(try store.encryptedRooms() == ["!r": settings])
        #expect(try store.value(of: "cross_signing.seeds") == (seeds ? Array("S33DS".utf8) : nil))
    }

    private static func putBy(_ scratch: Scratch) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.folder).filter { $0.contains(".of-") }.sorted()
    }

    @Test("of devices that are put by the newest three stay") func putByBound() throws {
        let scratch = try Self.filled()
        for (index, device) in ["B", "C", "D", "E", "F"].enumerated() {
            let store = try scratch.keys().open(user: "@g:x", device: device).store
            try Self.expectNew(store, seeds: true)
            try store.write(
                changes {
                    $0.account = StoredAccount(userID: "@g:x", deviceID: device, pickle: [1], isUploaded: true)
                })
            // The file system's clock is coarse.
            for name in try Self.putBy(scratch)
            where name.hasSuffix("of-" + (index == 0 ? "DEV" : ["B", "C", "D", "E"][index - 1])) {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_000 + Double(index))],
                    ofItemAtPath: scratch.file(name))
            }
        }
        #expect(try Self.putBy(scratch) == ["keys-home.db.of-C", "keys-home.db.of-D", "keys-home.db.of-E"])
    }

    @Test("another device's file that can't be used: the keys in use stay where they are, with the identity")
    func otherDeviceFails() throws {
        let scratch = try Self.filled()
        do {
            let newer = try Database(path: scratch.file("keys-home.db.of-NEW"), busyTimeout: .zero)
            try newer.execute("PRAGMA user_version = 99")
        }
        #expect(throws: CryptoError.self) { try scratch.keys().open(user: "@g:x", device: "NEW") }
        #expect(try scratch.keys().open().store.account() == Self.account)
        try FileManager.default.removeItem(atPath: scratch.file("keys-home.db.of-NEW"))
        try Self.expectNew(scratch.keys().open(user: "@g:x", device: "NEW").store, seeds: true)
    }

    @Test("killed after any step of an exchange of devices, the next start has the identity and both devices' keys")
    func killedInExchange() throws {
        for count in 0...4 {
            let scratch = try Self.filled()
            let new = StoredAccount(userID: "@g:x", deviceID: "NEW", pickle: [9], isUploaded: true)
            try scratch.keys().open(user: "@g:x", device: "NEW").store.write(changes { $0.account = new })
            _ = try scratch.keys().open()
            // As it is when the files change their names: both whole, and closed.
            for name in ["keys-home.db", "keys-home.db.of-NEW"] {
                try Database(path: scratch.file(name), busyTimeout: .zero).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            let devices = PutByDevices(folder: scratch.folder, database: scratch.file("keys-home.db"))
            let steps = devices.steps(devices.path(of: "NEW"), devices.path(of: "DEV"))
            #expect(steps.count == 4)
            for step in steps.prefix(count) { #expect(step() == nil) }

            let store = try scratch.keys().open(user: "@g:x", device: "NEW").store
            #expect(try store.account() == new && store.value(of: "cross_signing.seeds") == Array("S33DS".utf8))
            #expect(try scratch.keys().open().store.olmSessions(with: "curve").count == 1, "after \(count) steps")
        }
    }

    @Test("of what couldn't be read the newest ten stay, and what goes is told") func brokenBound() throws {
        let scratch = try Self.scratch(withKeys: false)
        for _ in 1...12 {
            try scratch.write(
                Array("no database, and long enough for a header of one hundred bytes".utf8), to: "keys-home.db")
            _ = try scratch.keys().open()
            for side in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: scratch.file("keys-home.db" + side))
            }
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: scratch.folder).filter { $0.contains("broken") }
        #expect(Set(kept) == Set((3...12).map { "keys-home.db.broken-\($0)" }))
        let told = scratch.log.lines.filter { $0.contains("are removed") }
        #expect(told.count == 2 && told[0].contains("keys-home.db.broken-1"), "\(told)")
    }

    @Test("another device begins anew, and the first finds its keys again when it comes back") func otherDevice() throws
    {
        let scratch = try Self.filled()
        let other = StoredAccount(userID: "@g:x", deviceID: "NEW", pickle: [9], isUploaded: true)
        do {
            let store = try scratch.keys().open(user: "@g:x", device: "NEW").store
            try Self.expectNew(store, seeds: true)
            try store.write(
                changes {
                    $0.account = other
                    $0.values = ["cross_signing.seeds": Array("L4TER".utf8)]
                })
        }
        do {
            let back = try scratch.keys().open().store
            #expect(try back.account() == Self.account && back.olmSessions(with: "curve").count == 1)
            #expect(try back.value(of: "cross_signing.seeds") == Array("L4TER".utf8), "the newest identity")
        }
        #expect(try scratch.keys().open(user: "@g:x", device: "NEW").store.account() == other)
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.folder) where name.hasPrefix("keys") {
            #expect(try scratch.mode(name) == 0o600)
        }
        let stranger = try scratch.keys().open(user: "@other:x", device: "DEV").store
        #expect(try stranger.value(of: "cross_signing.seeds") == nil && stranger.olmSessions(with: "curve").isEmpty)
    }

    @Test("a room's key that nobody used for 90 days goes, with the notes of its messages") func old() throws {
        let scratch = try Self.scratch()
        let day: Int64 = 86_400_000
        let start: Int64 = 1_800_000_000_000
        let store = try scratch.keys(at: start).open().store
        try store.write(
            changes {
                for id in ["s", "t"] {
                    $0.inboundGroupSessions[sessionName(id)] = inboundSession(sessionName(id))
                    $0.seenIndices.append(SeenIndex(session: sessionName(id), index: 1, event: "$e"))
                }
                $0.olmSessions = ["o": olmSession("o", used: 0), "p": olmSession("p", used: start)]
            })
        // The first write after a start looks at the bounds.
        try scratch.keys(at: start + 80 * day).open().store.write(
            changes { $0.seenIndices = [SeenIndex(session: sessionName("t"), index: 2, event: "$f")] })
        let later = try scratch.keys(at: start + 100 * day).open().store
        try later.write(changes { $0.olmSessions = ["q": olmSession("q", used: start + 100 * day)] })
        #expect(
            try later.inboundGroupSession(sessionName("s")) == nil && later.event(at: 1, of: sessionName("s")) == nil)
        #expect(
            try later.inboundGroupSession(sessionName("t")) != nil && later.event(at: 1, of: sessionName("t")) == "$e")
        #expect(try later.olmSessions(with: "curve").map(\.id) == ["q", "p", "o"], "a wrong clock takes none")
    }
}
