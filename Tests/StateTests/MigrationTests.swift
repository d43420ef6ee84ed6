import Base
import Bot
import Chat
import GiphySearch
import MatrixAdapter
import RateLimiter
import SQLite
import State
import TestSupport
import Testing

/// What an older program left is taken over.
@Suite struct MigrationTests {
    /// As version 1 made it.
    private static let first: StaticString = """
        CREATE TABLE shown (
            number INTEGER PRIMARY KEY, network TEXT NOT NULL, conversation TEXT NOT NULL, direct INTEGER NOT NULL,
            id TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE (network, conversation, direct, id));
        CREATE TABLE answered (
            number INTEGER PRIMARY KEY, network TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL);
        CREATE TABLE calls (number INTEGER PRIMARY KEY, account TEXT NOT NULL, at INTEGER NOT NULL);
        CREATE INDEX calls_by_account ON calls (account, at);
        CREATE TABLE buckets (key TEXT PRIMARY KEY, full_at INTEGER NOT NULL, saved_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE positions (account TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
        PRAGMA user_version = 1;
        INSERT INTO shown (network, conversation, direct, id, at) VALUES ('libera', '#cats', 0, 'giphy:a', 1800000000000);
        INSERT INTO answered (network, id, at) VALUES ('home', '$a', 1800000000000);
        INSERT INTO buckets VALUES ('user libera  account:ada', 1800000060000, 1800000000000);
        INSERT INTO positions VALUES ('home', 's1')
        """

    @Test("The first version's file goes on as the newest, with all that was in it") @Loop func fromTheFirst()
        async throws
    {
        let scratch = Scratch()
        try scratch.write([], to: "x")
        try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero).execute(Self.first)
        for _ in 0..<2 {
            let store = try scratch.open()
            #expect(store.shown(in: cats) == ["giphy:a"])
            #expect(store.wasAnswered("$a", in: "home") && store.syncPosition(of: "home") == "s1")
            #expect(
                store.takeSavedBuckets() == [
                    SavedBucket(
                        key: LimitKey(.user, network: "libera", conversation: "", user: "account:ada"),
                        fullAt: WallTime(milliseconds: 1_800_000_060_000), interval: 0)
                ])
            await store.close()
        }
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("The second version's answers go on: they stand where they were asked for") @Loop func fromTheSecond()
        async throws
    {
        let scratch = Scratch()
        let made = try scratch.open()
        let now = scratch.clock.wall
        let answer = StoredAnswer(
            id: "$1", commandRoom: "!r", room: "!r", thread: nil, asker: "@a:x", event: "$1a", at: now)
        made.save(answer: answer, of: "@g:x")
        await made.close()
        let file = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        try file.execute("ALTER TABLE matrix_answers DROP COLUMN command_room")
        try file.execute("DROP TABLE matrix_direct")
        try file.execute("DROP TABLE encrypted_rooms")
        try file.execute("PRAGMA user_version = 2")
        let store = try scratch.open()
        #expect(store.answers(of: "@g:x") == [answer])
        await store.close()
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("The fourth version's chats of two go on, as used when something was answered last") @Loop
    func fromTheFourth()
        async throws
    {
        let scratch = Scratch()
        let made = try scratch.open()
        made.record(answered: "$a", in: "home", at: scratch.clock.wall)
        await made.close()
        let file = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        try file.execute("ALTER TABLE matrix_direct DROP COLUMN at")
        try file.execute("INSERT INTO matrix_direct (account, person, room) VALUES ('@g:x', '@ada:x', '!a')")
        try file.execute("PRAGMA user_version = 4")
        for (days, isThere) in [(29, true), (2, false)] {
            scratch.clock.advance(by: .days(days))
            let store = try scratch.open()
            #expect(store.directChats(of: "@g:x") == (isThere ? ["@ada:x": "!a"] : [:]))
            await store.close()
        }
        #expect(scratch.log.lines.isEmpty)
    }
}
