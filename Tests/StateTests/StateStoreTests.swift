import Base
import Bot
import Chat
import GiphySearch
import Foundation
import MatrixAdapter
import RateLimiter
import State
import Testing
import TestSupport

@Suite struct StateStoreTests {
    static func bucket(_ user: String, fullAt: WallTime) -> SavedBucket {
        SavedBucket(
            key: LimitKey(.user, network: "libera", conversation: "", user: user), fullAt: fullAt, interval: 4000)
    }

    @Loop static func fill(_ store: StateStore, _ clock: ManualClock) {
        for id in ["giphy:a", "giphy:b", "giphy:c", "giphy:a"] { store.record(shown: id, in: cats, at: clock.wall) }
        store.record(shown: "folder:x", in: ada, at: clock.wall)
        store.record(answered: "$a", in: "home", at: clock.wall)
        for number in 0..<3 { store.record(callOf: "giphy", by: "here", at: clock.wall.advanced(by: .seconds(number))) }
        store.remove(callOf: "giphy", by: "here", at: clock.wall.advanced(by: .seconds(1)))
        store.save(syncPosition: "s1", of: "home")
        store.save(syncPosition: "s2_é", of: "home")
        store.save(syncPosition: "gone", of: "other")
        store.save(RoomUpgrade(from: "!old", to: "!new"), of: "home")
        store.save(RoomUpgrade(from: "!old", to: "!new"), of: "home")
        store.save(syncPosition: nil, of: "other")
        for user in ["ada", "bo"] { store.record(bucket(user, fullAt: clock.wall.advanced(by: .hours(1)))) }
        store.forget(bucket: bucket("bo", fullAt: clock.wall).key)
        store.save(
            session: StoredSession(userID: "@g:x", deviceID: "D V", accessToken: Secret("S3CRET token")), of: "home")
    }

    @Test @Loop func aRestartKeepsEverything() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        Self.fill(store, scratch.clock)
        let before = store.summary(scratch.clock)
        #expect(before[0] == "[\"giphy:b\", \"giphy:c\", \"giphy:a\"]")
        await store.close()
        let again = try scratch.open()
        #expect(again.summary(scratch.clock) == before)
        #expect(again.syncPosition(of: "other") == nil)
        #expect(!again.wasAnswered("$a", in: "other"))
        let far = scratch.clock.wall.advanced(by: .hours(1))
        #expect(again.takeSavedBuckets() == [Self.bucket("ada", fullAt: far)])
        #expect(again.takeSavedBuckets().isEmpty)
        await again.close()
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("a second after the change a killed process has lost nothing") @Loop func killSafety() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        Self.fill(store, scratch.clock)
        scratch.clock.advance(by: .seconds(1))
        // Waits for the batch on its way; nothing else is pending by now.
        await store.flush()
        let killed = try scratch.killed()
        let again = try killed.open()
        #expect(again.summary(killed.clock) == store.summary(scratch.clock))
    }

    @Test("an idle store has no timer but the daily one") @Loop func noIdleTicking() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let day = scratch.clock.now.advanced(by: .days(1))
        #expect(scratch.clock.nextDue == day)
        store.record(answered: "$a", in: "home", at: scratch.clock.wall)
        #expect(scratch.clock.nextDue == scratch.clock.now.advanced(by: .seconds(1)))
        await store.flush()
        #expect(scratch.clock.nextDue == day)
    }

    @Test("BUG-15: a position is never on disk before the ids answered ahead of it") @Loop func order() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 0..<50 {
            store.record(answered: "$\(number)", in: "home", at: scratch.clock.wall)
            store.save(syncPosition: "s\(number)", of: "home")
            if number % 7 == 0 { scratch.clock.advance(by: .seconds(1)) }
            if number % 10 == 9 {
                await store.flush()
                let again = try scratch.killed().open()
                #expect(again.syncPosition(of: "home") == "s\(number)")
                #expect((0...number).allSatisfy { again.wasAnswered("$\($0)", in: "home") })
            }
        }
    }

    @Test @Loop func inMemoryRemembersUntilTheEnd() async {
        let clock = ManualClock()
        let log = RecordingLog()
        let store = StateStore.inMemory(clock: clock, log: Log("test", to: log))
        Self.fill(store, clock)
        #expect(store.shown(in: cats).count == 3)
        #expect(store.session(of: "home")?.deviceID == "D V")
        await store.flush()
        #expect(clock.nextDue == clock.now.advanced(by: .days(1)))
        await store.close()
        #expect(store.syncPosition(of: "home") == "s2_é")
        #expect(log.lines.isEmpty)
    }

    @Test @Loop func boundsOfMemoryHoldOnDiskToo() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 0..<250 { store.record(shown: "giphy:\(number)", in: cats, at: scratch.clock.wall) }
        for number in 0..<1005 {
            let place = Conversation(network: "n", name: "#\(number)", isDirect: false)
            store.record(shown: "x", in: place, at: scratch.clock.wall)
        }
        for number in 0..<15_000 { store.record(answered: "$\(number)", in: "home", at: scratch.clock.wall) }
        await store.flush()
        for number in 15_000..<20_010 { store.record(answered: "$\(number)", in: "home", at: scratch.clock.wall) }
        let check = { @Loop (store: StateStore) in
            let first = Conversation(network: "n", name: "#4", isDirect: false)
            let last = Conversation(network: "n", name: "#1004", isDirect: false)
            // 1,006 conversations: #cats, the one used longest ago, went first.
            #expect(store.shown(in: cats).isEmpty)
            #expect(store.shown(in: first).isEmpty)
            #expect(store.shown(in: last) == ["x"])
            #expect(!store.wasAnswered("$9", in: "home"))
            #expect(store.wasAnswered("$10", in: "home") && store.wasAnswered("$20009", in: "home"))
        }
        check(store)
        for number in 0..<250 { store.record(shown: "giphy:\(number)", in: ada, at: scratch.clock.wall) }
        #expect(store.shown(in: ada) == (50..<250).map { "giphy:\($0)" })
        await store.close()
        let again = try scratch.open()
        check(again)
        #expect(again.shown(in: ada) == (50..<250).map { "giphy:\($0)" })
    }

    @Test("ids and names go after 30 days, at open and daily") @Loop func retention() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let old = scratch.clock.wall
        Self.fill(store, scratch.clock)
        scratch.clock.advance(by: .days(20))
        store.record(shown: "giphy:late", in: cats, at: scratch.clock.wall)
        store.record(answered: "$late", in: "home", at: scratch.clock.wall)
        await store.flush()
        scratch.clock.advance(by: .days(11))
        #expect(store.shown(in: cats) == ["giphy:late"])
        #expect(store.shown(in: ada).isEmpty)
        #expect(!store.wasAnswered("$a", in: "home"))
        #expect(store.wasAnswered("$late", in: "home"))
        await store.close()

        // At open: a file that slept for a month.
        let sleeper = Scratch()
        let asleep = try sleeper.open()
        asleep.record(shown: "giphy:old", in: cats, at: old)
        asleep.record(answered: "$old", in: "home", at: old)
        asleep.record(Self.bucket("k", fullAt: old.advanced(by: .days(90))))
        await asleep.close()
        sleeper.clock.advance(by: .days(31))
        let awake = try sleeper.open()
        #expect(awake.shown(in: cats).isEmpty)
        #expect(!awake.wasAnswered("$old", in: "home"))
        #expect(awake.takeSavedBuckets().isEmpty)
        await awake.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: sleeper.file("gifbot.db")))
        #expect(bytes.range(of: Data("giphy:old".utf8)) == nil, "deleted means gone from the file")
    }
}

@Suite struct SpentCallsTests {
    @Test("BUG-25: a wall clock set back leaves the calls in order") @Loop func sorted() throws {
        let clock = ManualClock()
        let store = StateStore.inMemory(clock: clock, log: Log("test", to: RecordingLog()))
        let times = [5000, 1000, 3000, 1000].map { WallTime(milliseconds: $0) }
        for time in times { store.record(callOf: "k", by: "here", at: time) }
        let since = { @Loop (milliseconds: Int64) in
            store.calls(of: "k", since: WallTime(milliseconds: milliseconds)).map(\.at.milliseconds)
        }
        #expect(since(0) == [1000, 1000, 3000, 5000])
        #expect(since(1001) == [3000, 5000])
        #expect(since(5000) == [5000])
        #expect(since(5001) == [])
        store.remove(callOf: "k", by: "here", at: WallTime(milliseconds: 1000))
        store.remove(callOf: "k", by: "here", at: WallTime(milliseconds: 2000))
        store.remove(callOf: "other", by: "here", at: WallTime(milliseconds: 1000))
        #expect(since(0) == [1000, 3000, 5000])
    }

    @Test("what the widest window and a day don't reach goes") @Loop func forgets() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let early = scratch.clock.wall
        _ = store.calls(of: "short", since: early.advanced(by: .hours(-1)))
        _ = store.calls(of: "long", since: early.advanced(by: .days(-7)))
        for account in ["short", "long"] { store.record(callOf: account, by: "here", at: early) }
        scratch.clock.advance(by: .days(3))
        #expect(store.calls(of: "short", since: early) == [])
        #expect(store.calls(of: "long", since: early).map(\.at) == [early])
        await store.close()
        let again = try scratch.open()
        #expect(again.calls(of: "short", since: early) == [])
        #expect(again.calls(of: "long", since: early).map(\.at) == [early])
    }
}
