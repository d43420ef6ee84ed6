import Base
import Foundation
import SQLite
import State
import Testing
import TestSupport

@Suite struct StateFolderTests {
    @Test @Loop func isForTheOwnerOnly() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.flush()
        #expect(try scratch.mode("") == 0o700)
        for name in ["gifbot.db", "gifbot.db-wal", "lock"] { #expect(try scratch.mode(name) == 0o600, "\(name)") }
    }

    @Test @Loop func aSecondBotIsRefusedAndToldWhoIsThere() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let error = try #require(throws: StateError.self) { try scratch.open() }
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        #expect(error == .inUse(folder: scratch.folder, process: process))
        #expect(error.description.contains(scratch.folder) && error.description.contains("\(process)"))
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.close()
        #expect(try scratch.open().wasAnswered("$a", in: "home"))
    }

    @Test @Loop func foldersAboveAreMadeToo() throws {
        let scratch = Scratch()
        let deep = scratch.file("a/b")
        _ = try StateStore.open(folder: deep, clock: scratch.clock, log: Log("test", to: scratch.log))
        #expect(scratch.exists("a/b/gifbot.db"))
    }

    @Test @Loop func aPlaceThatCannotBeAFolder() throws {
        let scratch = Scratch()
        try scratch.write([1], to: "file")
        for path in [scratch.file("file"), scratch.file("file/below"), ""] {
            let error = try #require(throws: StateError.self) {
                try StateStore.open(folder: path, clock: scratch.clock, log: Log("test", to: scratch.log))
            }
            guard case .unusable(path, _) = error else {
                Issue.record("\(error)")
                continue
            }
        }
    }

    @Test @Loop func aNewerVersionIsRefusedAndLeftAlone() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.close()
        try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero).execute("PRAGMA user_version = 7")
        let error = try #require(throws: StateError.self) { try scratch.open() }
        #expect(error == .newerVersion(folder: scratch.folder, found: 7, known: 5))
        #expect(!scratch.exists("gifbot.db.broken-1"))
        // The lock is free again.
        try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero).execute("PRAGMA user_version = 5")
        #expect(try scratch.open().wasAnswered("$a", in: "home"))
    }

    @Test("a file that is no database of ours is set aside with one line", arguments: ["text", "short", "zeroes"])
    @Loop func setAside(_ kind: String) async throws {
        let scratch = Scratch()
        let bytes: [UInt8] =
            switch kind {
            case "text": Array(String(repeating: "not a database ", count: 1000).utf8)
            case "short": Array("SQLite format 3\u{0}".utf8)
            default: [UInt8](repeating: 0, count: 8192)
            }
        try scratch.write(bytes, to: "gifbot.db")
        try scratch.write([1], to: "gifbot.db.broken-1")
        let store = try scratch.open()
        #expect(scratch.log.lines.count == 1)
        #expect(scratch.log.lines[0].contains("file=gifbot.db.broken-2"))
        #expect(FileManager.default.contents(atPath: scratch.file("gifbot.db.broken-2")).map(Array.init) == bytes)
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.close()
        #expect(try scratch.open().wasAnswered("$a", in: "home"))
        #expect(scratch.log.lines.count == 1)
    }

    @Test @Loop func brokenPagesAreSetAsideToo() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 0..<500 { store.record(shown: "giphy:\(number)", in: ada, at: scratch.clock.wall) }
        await store.close()
        var bytes = try #require(FileManager.default.contents(atPath: scratch.file("gifbot.db")))
        for place in 4096..<bytes.count { bytes[place] = 0x5A }
        try scratch.write(Array(bytes), to: "gifbot.db")
        let again = try scratch.open()
        #expect(again.shown(in: ada).isEmpty)
        #expect(scratch.exists("gifbot.db.broken-1"))
        #expect(scratch.log.lines.count == 1)
    }

    @Test("a database that breaks while in use is set aside; the next start makes a new one")
    @Loop func breaksWhileInUse() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 0..<100 { store.record(shown: "giphy:\(number)", in: ada, at: scratch.clock.wall) }
        await store.close()
        let again = try scratch.open()
        let handle = try #require(FileHandle(forWritingAtPath: scratch.file("gifbot.db")))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 4096)
        handle.write(Data(repeating: 0x5A, count: Int(size) - 4096))
        try handle.close()
        for id in ["giphy:x", "giphy:y"] {
            again.record(shown: id, in: ada, at: scratch.clock.wall)
            again.save(session: SessionFilesTests.session, of: id)
            await again.flush()
        }
        #expect(scratch.log.lines.count == 1)
        #expect(scratch.log.lines[0].hasSuffix("until the next start file=gifbot.db.broken-1"))
        #expect(again.shown(in: ada).suffix(2) == ["giphy:x", "giphy:y"])
        await again.close()
        let next = try scratch.open()
        #expect(next.shown(in: ada).isEmpty)
        #expect(next.session(of: "giphy:y") == SessionFilesTests.session)
        #expect(scratch.log.lines.count == 1)
    }

    @Test @Loop func somebodyElsesDatabaseIsSetAside() async throws {
        let scratch = Scratch()
        try scratch.write([], to: "x")
        try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero).execute("CREATE TABLE theirs (n INTEGER)")
        let store = try scratch.open()
        #expect(scratch.log.lines.count == 1)
        #expect(scratch.exists("gifbot.db.broken-1"))
        await store.close()
    }

    @Test("a new file, or one that a kill left empty, gets its tables with the first write")
    @Loop func anEmptyFileBecomesADatabase() async throws {
        let scratch = Scratch()
        for _ in 0..<2 {
            await (try scratch.open()).close()
            #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.file("gifbot.db"))).isEmpty)
        }
        let store = try scratch.open()
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.flush()
        #expect(try scratch.killed().open().wasAnswered("$a", in: "home"))
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("a disk that takes no writes never stops the bot; told on change") @Loop func writesFail() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        // Somebody else holds the write lock, which fails like a full disk does.
        let other = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.flush()
        store.save(syncPosition: "s1", of: "home")
        await store.flush()
        #expect(store.wasAnswered("$a", in: "home"))
        #expect(scratch.log.lines.count == 1)
        #expect(scratch.log.lines[0].hasPrefix("the state can't be written"))
        try other.execute("ROLLBACK")
        scratch.clock.advance(by: .minutes(1))
        await store.flush()
        #expect(scratch.log.lines.last == "the state is written again")
        let again = try scratch.killed().open()
        #expect(again.wasAnswered("$a", in: "home"))
        #expect(again.syncPosition(of: "home") == "s1")
    }

    @Test("a database that can't be opened leaves the bot in memory") @Loop func noDatabase() async throws {
        let scratch = Scratch()
        try FileManager.default.createDirectory(
            atPath: scratch.file("gifbot.db/inside"), withIntermediateDirectories: true)
        let store = try scratch.open()
        #expect(scratch.log.lines.count == 1)
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await store.close()
        #expect(store.wasAnswered("$a", in: "home"))
        #expect(scratch.log.lines.count == 1)
    }

    @Test("how long opening takes, printed") @Loop func openingTime() async throws {
        let scratch = Scratch()
        let clock = ContinuousClock()
        let made = try clock.measure { _ = try scratch.open() }
        let store = try scratch.open()
        StateStoreTests.fill(store, scratch.clock)
        for number in 0..<1000 {
            store.record(answered: "$\(number)", in: "home", at: scratch.clock.wall)
            store.record(callOf: "giphy", by: "here", at: scratch.clock.wall)
        }
        await store.close()
        var again: StateStore?
        let opened = try clock.measure { again = try scratch.open() }
        #expect(again != nil)
        print("state: a new folder \(made), one in use \(opened)")
    }
}
