import Base
import Chat
import HTTP
import JSON
import Matrix
import MatrixCrypto
import TestSupport
import Testing

@testable import MatrixAdapter

private let encryptionOn = event("m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2"], id: "$on", key: "")
private let sealedRoom = "!sealed:example.test"

@Suite("What goes on while keys can't be used") @Loop struct KeyTroubleTests {
    /// A batch with both rooms in it.
    private static func batch(_ next: String, plain: [JSONValue] = [], sealed: [JSONValue] = [])
        -> FakeHomeserver.Answer
    {
        func room(_ state: [JSONValue], _ timeline: [JSONValue]) -> JSONValue {
            [
                "state": ["events": .array(state)], "timeline": ["events": .array(timeline)],
                "summary": ["m.joined_member_count": 5],
            ]
        }
        return .ok([
            "next_batch": .string(next), "device_one_time_keys_count": ["signed_curve25519": 50],
            "rooms": [
                "join": .object(
                    JSONObject([
                        .init(room1, room([created], plain)),
                        .init(sealedRoom, room([created, encryptionOn], sealed)),
                    ]))
            ],
        ])
    }

    /// Waits, whatever else is waited for before.
    private static func until(_ bench: Bench, _ isSo: () -> Bool) async -> Bool {
        await bench.until {
            bench.clock.advance(by: .milliseconds(50))
            return isSo()
        }
    }

    /// Waits for a sync to be asked like this.
    private static func asks(_ bench: Bench, _ part: String) async -> Bool {
        await until(bench) { bench.server.requests("/v3/sync").last?.url.contains(part) == true }
    }

    private static func asked(_ bench: Bench, _ count: Int) async -> Bool {
        await until(bench) { bench.server.requests("/v3/sync").count >= count }
    }

    private static let missing = "libolm can't be loaded (no such file); install the package libolm3"

    @Test("Without the library plain rooms go on, encrypted ones rest, one line names the package; it may come later")
    func noLibrary() async throws {
        let keys = KeySource(troubles: 1_000_000, of: .olm(OlmError(.notInstalled, Self.missing)))
        let bench = Bench(position: "s0", crypto: keys)
        bench.adapter.start()
        #expect(await Self.asks(bench, "since=s0&"))
        bench.server.sync(Self.batch("s1"))
        #expect(await Self.asks(bench, "since=s1&"))
        await bench.advance(by: .minutes(10))
        let sealed: JSONValue = ["algorithm": "m.megolm.v1.aes-sha2", "session_id": "s", "ciphertext": "AwgA"]
        bench.server.sync(
            Self.batch(
                "s2", plain: [text("!gif owl", id: "$1")],
                sealed: [event("m.room.encrypted", sealed, id: "$2"), text("!gif hen", id: "$3")]))
        #expect(await Self.asks(bench, "since=s2&"))
        #expect(bench.bot.texts == ["!gif owl"] && bench.answer("Owl") == .accepted)
        #expect(await bench.until { bench.server.sentBodies == ["Owl"] })
        #expect(bench.store.positions[bot] == "s2")
        for _ in 0..<5 { await bench.advance(by: .minutes(1)) }
        let told = bench.lines.lines.filter { $0.contains("encryption can't begin") }
        #expect(told.count == 1 && told[0].contains(Self.missing) && told[0].contains("plain ones go on"), "\(told)")

        keys.breaks(times: 0)
        #expect(await Self.asks(bench, "since=s2&full_state=true"))
        #expect(bench.adapter.encryption != nil)
        await bench.adapter.stop(by: bench.clock.now)
    }

    @Test("A store that can't be opened: plain rooms go on, nothing that a sync tells of keys is passed")
    func unopened() async throws {
        let keys = KeySource(troubles: 1_000_000)
        let bench = Bench(position: "s0", crypto: keys)
        bench.adapter.start()
        for number in 1...3 {
            bench.server.sync(
                Self.batch("s\(number)", plain: (1...number).map { text("!gif \($0)", id: "$\($0)") }))
            #expect(await Self.until(bench) { bench.bot.messages.count == number })
        }
        #expect(bench.bot.texts == ["!gif 1", "!gif 2", "!gif 3"] && bench.answer("Owl") == .accepted)
        #expect(await bench.until { bench.server.sentBodies == ["Owl"] })
        #expect(bench.server.requests("/v3/sync").allSatisfy { $0.url.contains("since=s0&") })
        #expect(bench.store.savedPositions.isEmpty)
        #expect(bench.lines.lines.filter { $0.contains("encryption can't begin") }.count == 1)
        #expect(bench.adapter.openNote.settings.keys.sorted() == [sealedRoom])

        keys.breaks(times: 0)
        #expect(await Self.until(bench) { bench.adapter.encryption != nil })
        // All is told again, to keys that can be kept now, and what was answered isn't news.
        bench.server.sync(Self.batch("s5", plain: [text("!gif 3", id: "$3"), text("!gif 4", id: "$4")]))
        #expect(await Self.asks(bench, "since=s5&"))
        #expect(bench.bot.texts == ["!gif 1", "!gif 2", "!gif 3", "!gif 4"])
        #expect(bench.answer("Hen") == .accepted)
        #expect(await bench.until { bench.store.positions[bot] == "s5" && keys.store.writes > 0 })
        await bench.adapter.stop(by: bench.clock.now)
        #expect(keys.store.content.rooms.keys.sorted() == [sealedRoom])
    }

    @Test("A first start without a store takes the first batch, keeps its keys in memory, and its position nowhere")
    func firstStart() async throws {
        let keys = KeySource(troubles: 1)
        let bench = Bench(crypto: keys)
        bench.adapter.start()
        #expect(await Self.asked(bench, 1))
        #expect(bench.server.requests("/v3/sync")[0].url.contains("since=") == false)
        bench.server.sync(Self.batch("s1"))
        #expect(await Self.asks(bench, "since=s1&"))
        #expect(bench.store.savedPositions.isEmpty && bench.adapter.keysOfFirstBatch?.nextBatch == "s1")
        #expect(await Self.until(bench) { bench.adapter.encryption != nil })
        bench.server.sync(Self.batch("s2"))
        #expect(await Self.asks(bench, "since=s2&"))
        #expect(await bench.until { bench.store.positions[bot] == "s2" })
        #expect(bench.adapter.keysOfFirstBatch == nil)
        await bench.adapter.stop(by: bench.clock.now)
    }

    @Test("A disk that fills up: plain rooms go on, syncs are told again and again, and nothing goes out encrypted")
    func full() async throws {
        let keys = KeySource()
        let bench = Bench(position: "s0", crypto: keys)
        bench.adapter.start()
        #expect(await Self.asked(bench, 1))
        bench.server.sync(Self.batch("s1"))
        #expect(await Self.asked(bench, 2))
        #expect(await bench.until { bench.store.positions[bot] == "s1" })
        await bench.advance(by: .minutes(10))
        keys.store.isFull = true
        for number in 1...4 {
            bench.server.sync(
                Self.batch("f\(number)", plain: (1...number).map { text("!gif \($0)", id: "$\($0)") }))
            #expect(await bench.until { bench.bot.messages.count == number })
            #expect(await Self.asked(bench, 2 + number))
            // Not the very same, which a server may answer out of a cache.
            let url = bench.server.requests("/v3/sync").last?.url
            #expect(url?.contains("since=s1&timeout=\(30_000 - number)") == true)
        }
        #expect(bench.answer("Owl") == .accepted)
        #expect(await bench.until { bench.server.sentBodies == ["Owl"] })
        #expect(bench.store.positions[bot] == "s1" && bench.adapter.encryption?.openNote.isEmpty == true)
        #expect(bench.lines.lines.filter { $0.contains("the keys can't be used now") }.count == 1)
        // Not over and over.
        let before = bench.clock.now
        bench.server.sync(Self.batch("f5"))
        #expect(await Self.asked(bench, 7))
        #expect(before.duration(to: bench.clock.now) > .seconds(5))

        keys.store.isFull = false
        bench.server.sync(Self.batch("s2", plain: [text("!gif 4", id: "$4"), text("!gif 5", id: "$5")]))
        #expect(await Self.asks(bench, "since=s2&"))
        #expect(bench.bot.texts == (1...5).map { "!gif \($0)" })
        await bench.adapter.stop(by: bench.clock.now)
    }

    // MARK: Rooms are entered by a device that is known

    private static let invitation: JSONValue = [
        "invite": [
            "!new:example.test": [
                "invite_state": [
                    "events": [
                        event("m.room.create", [:], key: ""),
                        event("m.room.member", ["membership": "invite"], key: bot),
                    ]
                ]
            ]
        ]
    ]

    private static func invited(_ upload: FakeHomeserver.Answer) async -> Bench {
        let bench = Bench(crypto: KeySource())
        bench.server.next("/keys/upload", times: 100, upload)
        bench.adapter.start()
        #expect(await bench.until { !bench.server.requests("/v3/sync").isEmpty })
        await bench.sync()
        await bench.sync(rooms: Self.invitation)
        #expect(await bench.until { !bench.server.requests("/keys/upload").isEmpty })
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 3 })
        #expect(bench.server.requests("/join/").isEmpty)
        return bench
    }

    @Test("An invitation is accepted once the device's keys are on the server")
    func introduced() async {
        let bench = await Self.invited(.hang)
        bench.server.release(.ok(["one_time_key_counts": ["signed_curve25519": 50]]))
        #expect(await bench.until { bench.server.requests("/join/").count == 1 })
        await bench.adapter.stop(by: bench.clock.now)
    }

    @Test("Where they can't be put there for a minute rooms are entered all the same, with a line that says so")
    func notIntroduced() async {
        let bench = await Self.invited(.refusal(403, "M_FORBIDDEN"))
        await bench.advance(by: .seconds(59))
        #expect(bench.server.requests("/join/").isEmpty)
        await bench.advance(by: .seconds(1))
        #expect(await bench.until { bench.server.requests("/join/").count == 1 })
        #expect(bench.lines.lines.filter { $0.contains("this device's keys can't be put on the server") }.count == 1)
        await bench.adapter.stop(by: bench.clock.now)
    }

    @Test("Without encryption nothing is waited for")
    func plain() async {
        let bench = await Bench.running(tokenSettings { $0.encryption = false })
        await bench.sync(rooms: Self.invitation)
        #expect(bench.server.requests("/join/").count == 1)
    }
}
