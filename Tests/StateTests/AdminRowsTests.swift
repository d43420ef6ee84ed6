import Base
import Bot
import Chat
import SQLite
import State
import TestSupport
import Testing

/// What was set by chat, on disk and back.
@Suite struct AdminRowsTests {
    static func change(_ number: Int64, _ setting: String, _ reach: AdminChange.Reach = cats, isByAdmin: Bool = true)
        throws -> AdminChange
    {
        AdminChange(
            number: number, reach: reach, setting: try #require(AdminSetting(text: setting)), isByAdmin: isByAdmin,
            who: "libera/alice", at: WallTime(milliseconds: 1000 * number))
    }

    static let cats = AdminChange.Reach.channel(network: "libera", name: "#cats")

    static func entry(_ number: Int64) -> AuditEntry {
        AuditEntry(
            number: number, at: WallTime(milliseconds: number), who: "libera/alice", place: "libera/#cats",
            what: "limit user 5/1m")
    }

    static func events() throws -> [AdminEvent] {
        [
            .changed(try change(1, "limit user 5/1m")), .audited(entry(1)),
            .changed(try change(2, "deny two words", isByAdmin: false)), .audited(entry(2)),
            .changed(try change(3, "limit global off", .bot)), .audited(entry(3)),
            .changed(try change(4, "limit network 9/1h burst 2", .network("libera"))), .audited(entry(4)),
            .lifted(2), .audited(entry(5)), .ignored(.matrix("@eve:example.org")),
            .ignored(.onNetwork("libera", "bo!*@*")), .heard(.matrix("@eve:example.org")),
        ]
    }

    @Test("Killed as soon as it was written, nothing is lost") @Loop func kept() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.record(try Self.events())
        #expect(await store.written())
        let record = try scratch.killed().open().takeAdminRecord()
        #expect(record.changes.map(\.number) == [1, 3, 4])
        #expect(
            record.changes == [
                try Self.change(1, "limit user 5/1m"), try Self.change(3, "limit global off", .bot),
                try Self.change(4, "limit network 9/1h burst 2", .network("libera")),
            ])
        #expect(record.entries == (1...5).map(Self.entry))
        #expect(record.ignored == [.onNetwork("libera", "bo!*@*")])
    }

    @Test @Loop func handedOverOnce() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.record(try Self.events())
        await store.close()
        let again = try scratch.open()
        #expect(again.takeAdminRecord().changes.count == 3)
        #expect(again.takeAdminRecord().changes.isEmpty)
    }

    @Test("The log on disk is as bounded as the one in memory") @Loop func trimmed() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 1...2500 as ClosedRange<Int64> { store.record([.audited(Self.entry(number))]) }
        await store.close()
        let record = try scratch.open().takeAdminRecord()
        #expect(record.entries.count == AdminRecord.mostEntries)
        #expect(record.entries.last?.number == 2500)
    }

    @Test("What a newer program wrote is left alone") @Loop func unknown() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.record([.lifted(1)])
        await store.close()
        try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero).execute(
            """
            INSERT INTO admin_changes VALUES (7, 'libera', '#cats', 'dance all night', 1, 'x', 0);
            INSERT INTO ignored VALUES ('rubbish')
            """)
        let record = try scratch.open().takeAdminRecord()
        #expect(record.changes.isEmpty && record.ignored.isEmpty)
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("`check` reads it beside a bot that runs, and takes no lock") @Loop func beside() async throws {
        let scratch = Scratch()
        guard case .nothing = StateReading.adminRecord(inFolder: scratch.folder) else {
            Issue.record("there is no folder yet")
            return
        }
        let store = try scratch.open()
        // Its file is there, and empty.
        guard case .nothing = StateReading.adminRecord(inFolder: scratch.folder) else {
            Issue.record("nothing was written yet")
            return
        }
        store.record(try Self.events())
        #expect(await store.written())
        for _ in 0..<2 {
            guard case .read(let record) = StateReading.adminRecord(inFolder: scratch.folder) else {
                Issue.record("not read")
                return
            }
            #expect(record.changes.count == 3)
        }
        store.record([.lifted(1)])
        #expect(await store.written())
        await store.close()
        guard case .read(let record) = StateReading.adminRecord(inFolder: scratch.folder) else {
            Issue.record("not read")
            return
        }
        #expect(record.changes.map(\.number) == [3, 4])
        try scratch.write(Array("no database".utf8), to: "gifbot.db")
        guard case .failed = StateReading.adminRecord(inFolder: scratch.folder) else {
            Issue.record("read what is none")
            return
        }
        #expect(!scratch.exists("gifbot.db.broken-1"))
    }

    @Test("A state that can't be looked into isn't one without changes") func closed() throws {
        let scratch = Scratch()
        try scratch.write([], to: "state")
        guard case .failed(let reason) = StateReading.adminRecord(inFolder: scratch.file("state")) else {
            Issue.record("a file is no state folder")
            return
        }
        #expect(reason == "Not a directory")
    }
}
