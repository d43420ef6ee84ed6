import Base
import Bot
import Chat
import RateLimiter
import SQLite
import State
import TestSupport
import Testing

/// What must be on disk before an answer is sent.
@Suite struct WrittenTests {
    @Test("Waited for, it is on disk without the second that gathers changes") @Loop func atOnce() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 0..<50 {
            store.record(answered: "$\(number)", in: "home", at: scratch.clock.wall)
            #expect(await store.written())
            if number % 10 == 0 { #expect(try scratch.killed().open().wasAnswered("$\(number)", in: "home")) }
        }
        #expect(await store.written())
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("Many who wait share a write, and none waits for what came later") @Loop func together() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        var done = 0
        let tasks = (0..<200).map { number in
            Loop.start {
                store.record(answered: "$\(number)", in: "home", at: scratch.clock.wall)
                if await store.written() { done += 1 }
            }
        }
        for task in tasks { await task.value }
        #expect(done == 200)
        let again = try scratch.killed().open()
        #expect((0..<200).allSatisfy { again.wasAnswered("$\($0)", in: "home") })
    }

    @Test("A disk that takes no writes holds nobody: told once, tried again later") @Loop func full() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let other = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        #expect(await store.written() == false)
        store.record(answered: "$b", in: "home", at: scratch.clock.wall)
        #expect(await store.written() == false)
        #expect(scratch.log.lines.count == 1)
        try other.execute("ROLLBACK")
        scratch.clock.advance(by: .minutes(1))
        await store.flush()
        store.record(answered: "$c", in: "home", at: scratch.clock.wall)
        #expect(await store.written())
        let again = try scratch.killed().open()
        #expect(["$a", "$b", "$c"].allSatisfy { again.wasAnswered($0, in: "home") })
    }

    @Test("Only a command's note is owed before its answer, and only while it can be written") @Loop
    func owed() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.record(shown: "giphy:a", in: cats, at: scratch.clock.wall)
        #expect(!store.owesWriting)
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        #expect(store.owesWriting)
        #expect(await store.written())
        #expect(!store.owesWriting)
        let other = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")
        store.record(answered: "$b", in: "home", at: scratch.clock.wall)
        #expect(store.owesWriting)
        #expect(await store.written() == false)
        #expect(!store.owesWriting)
        try other.execute("ROLLBACK")
    }

    @Test("Without a folder there is nothing to wait for") @Loop func inMemory() async {
        let store = StateStore.inMemory(clock: ManualClock(), log: Log("test", to: RecordingLog()))
        store.record(answered: "$a", in: "home", at: WallTime(milliseconds: 0))
        #expect(await store.written())
    }

    @Test("Only the buckets that changed are written, a second after the first of them") @Loop func buckets()
        async throws
    {
        let scratch = Scratch()
        let store = try scratch.open()
        let far = scratch.clock.wall.advanced(by: .hours(1))
        let keys = (0..<1000).map { LimitKey(.user, network: "n", conversation: "", user: "u\($0)") }
        for key in keys { store.record(SavedBucket(key: key, fullAt: far, interval: 4)) }
        await store.flush()
        #expect(scratch.clock.nextDue == scratch.clock.now.advanced(by: .days(1)))
        store.forget(bucket: keys[0])
        store.record(SavedBucket(key: keys[1], fullAt: far.advanced(by: .hours(1)), interval: 4))
        #expect(scratch.clock.nextDue == scratch.clock.now.advanced(by: .seconds(1)))
        scratch.clock.advance(by: .seconds(1))
        await store.flush()
        let again = try scratch.killed().open().takeSavedBuckets()
        #expect(again.count == 999)
        #expect(again.first { $0.key == keys[1] }?.fullAt == far.advanced(by: .hours(1)))
    }

    @Test("Buckets that are full again are not taken up, and go from the file") @Loop func expired() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let key = LimitKey(.user, network: "n", conversation: "", user: "ada")
        store.record(SavedBucket(key: key, fullAt: scratch.clock.wall.advanced(by: .seconds(10)), interval: 4))
        await store.close()
        scratch.clock.advance(by: .seconds(11))
        let again = try scratch.open()
        #expect(again.takeSavedBuckets().isEmpty)
        await again.close()
        let database = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        #expect(try database.integer("SELECT count(*) FROM buckets") == 0)
    }
}
