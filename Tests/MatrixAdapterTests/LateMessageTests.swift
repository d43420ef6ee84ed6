import Base
import JSON
import Matrix
import MatrixCrypto
import TestSupport
import Testing

@testable import MatrixAdapter

@Suite("Messages whose key is late") @Loop struct LateMessageTests {
    private static let now = Instant.now

    private static func entry(
        _ number: Int, _ session: String = "s", until: Duration = .seconds(60)
    ) -> LateMessages.Entry {
        var event = MatrixEvent()
        event.type = "m.room.encrypted"
        event.id = "$\(number)"
        event.sender = ada
        event.sealed = [1]
        return LateMessages.Entry(
            sealed: SealedEvent(event, in: room1)!, session: session, since: now, until: now + until)
    }

    @Test("They are bounded: the ones that came first go")
    func bound() {
        var late = LateMessages()
        for number in 0..<LateMessages.capacity { #expect(late.add(Self.entry(number)).isEmpty) }
        // The same again takes no second place.
        #expect(late.add(Self.entry(3)).map(\.id) == ["$3"])
        #expect(late.add(Self.entry(9_000, "t", until: .seconds(1))).map(\.id) == ["$0"])
        #expect(late.nextDeadline == Self.now + .seconds(1))
        #expect(late.expired(Self.now + .seconds(2)).map(\.sealed.id) == ["$9000"])
        #expect(late.redacted("$3", in: "!other").isEmpty && late.redacted("$3", in: room1).count == 1)
        #expect(late.keyCame("s", in: "!other").isEmpty)
        // Nobody but the sender has anything to say about the key.
        #expect(late.withheld("s", in: room1, by: "@mallory:example.org").isEmpty)
        #expect(late.withheld("u", in: room1, by: ada).isEmpty)
        #expect(late.keyCame("s", in: room1).count == LateMessages.capacity - 2)
        #expect(late.withheld("s", in: room1, by: ada).count == LateMessages.capacity - 2)
        #expect(late.nextDeadline == nil)
    }

    @Test("What happens while one is tried counts: its key comes, it is taken back, its time is over")
    func meanwhile() {
        var late = LateMessages()
        for number in 1...3 { #expect(late.add(Self.entry(number, until: .seconds(number))).isEmpty) }
        let tried = late.keyCame("s", in: room1)
        #expect(tried.map(\.id) == ["$1", "$2", "$3"])
        // Not a second time at once.
        #expect(late.keyCame("s", in: room1).isEmpty)
        #expect(late.stayedClosed(tried[0]) && !late.stayedClosed(tried[0]))
        #expect(late.redacted("$2", in: room1).count == 1)
        #expect(!late.stayedClosed(tried[1]) && late.remove(tried[1]) == nil)
        #expect(late.remove(tried[2])?.sealed.id == "$3")
        #expect(late.keyCame("s", in: room1).map(\.id) == ["$1"])
        #expect(late.expired(Self.now + .seconds(1)).count == 1 && !late.contains(tried[0]))
    }

    /// Past a message whose key isn't there.
    private static func waiting(_ keys: KeySource, _ session: KeySource.GroupSession) async throws -> Bench {
        let bench = Bench(crypto: keys)
        bench.adapter.start()
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 1 })
        let encryption = event("m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2"], id: "$on", key: "")
        await bench.sync(state: [created, encryption])
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 2 })
        // What was said before the start isn't waited for.
        await bench.advance(by: .minutes(10))
        await bench.sync([event("m.room.encrypted", try session.says("!gif owl"), id: "$owl")])
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 3 })
        // Who sent it is looked up, and nobody has any devices: nothing else is under way then.
        #expect(await bench.until { bench.adapter.encryption?.isIntroduced == true })
        return bench
    }

    @Test("A key that is told while the store can't be used opens its message once it can")
    func storeTrouble() async throws {
        let keys = KeySource()
        let session = try KeySource.GroupSession(in: room1)
        let bench = try await Self.waiting(keys, session)
        let key = try KeySource.key(of: session, from: ada, in: room1)
        // On the thread that has the store.
        bench.adapter.encryption?.verify { _, _ in try? keys.store.write(key) }
        _ = await bench.adapter.encryption?.open([])
        keys.store.isFull = true
        bench.adapter.happened([.roomKey(session: session.id, room: room1)])
        #expect(await bench.until { bench.lines.lines.contains { $0.contains("the keys can't be used now") } })
        await bench.settle()
        #expect(bench.bot.messages.isEmpty)
        keys.store.isFull = false
        #expect(
            await bench.until {
                bench.clock.advance(by: .milliseconds(50))
                return bench.bot.texts == ["!gif owl"]
            })
    }
}
