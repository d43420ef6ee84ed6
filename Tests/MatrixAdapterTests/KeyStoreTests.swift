import Base
import HTTP
import JSON
import Libolm
import Matrix
import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

@testable import MatrixAdapter

@Suite("Stores of keys", .serialized) @Loop struct KeyStoreTests {
    private final class Stage {
        let clock = ManualClock()
        let server = FakeHomeserver()
        let lines = RecordingLog()
        let bot = RecordingBot()
        let keys = KeySource()
        let adapter: MatrixAdapter

        @Loop init(
            told keysOfServer: JSONValue = ["device_keys": [:]],
            _ change: (inout MatrixAccountSettings) -> Void = { _ in }
        ) {
            server.next("/keys/query", times: 50, .ok(keysOfServer))
            server.next("/keys/upload", times: 50, .ok(["one_time_key_counts": ["signed_curve25519": 50]]))
            adapter = MatrixAdapter(
                settings: tokenSettings(change), admins: [ada], ignore: [], ageLimit: .minutes(2), http: server,
                clock: clock, store: MemoryStore(position: "s0", session: nil, answered: []),
                log: Log("matrix", to: lines), handler: bot, crypto: keys, random: { 0.5 })
            adapter.start()
        }

        /// The store's own thread takes its time.
        @Loop func until(_ what: Comment, _ isTrue: () -> Bool) async throws {
            let deadline = ContinuousClock.now + .seconds(10)
            while !isTrue() {
                try #require(ContinuousClock.now < deadline, what)
                await Task.yield()
            }
        }

        @Loop func sync(_ text: JSONValue? = nil, next: String) {
            let events = text.map { [$0] } ?? []
            server.sync(
                .ok([
                    "next_batch": .string(next), "device_one_time_keys_count": ["signed_curve25519": 50],
                    "rooms": [
                        "join": .object(
                            JSONObject([
                                .init(
                                    room1,
                                    [
                                        "state": ["events": .array([created])],
                                        "timeline": ["events": .array(events)],
                                        "summary": ["m.joined_member_count": 5],
                                    ])
                            ]))
                    ],
                ]))
        }
    }

    @Test("A store that is lost stops encrypted rooms alone: plain ones go on")
    func lost() async throws {
        let stage = Stage()
        try await stage.until("encryption") { stage.lines.lines.contains { $0.contains("encryption is on") } }
        try await stage.until("a sync") { stage.server.requests("/v3/sync").count == 1 }
        stage.keys.store.fault = .storeLost("SQLite 11: malformed")
        stage.sync(next: "s1")
        try await stage.until("the loss to be told") {
            stage.lines.lines.contains { $0.contains("SQLite 11: malformed") }
        }
        for number in 1...40 where stage.bot.messages.isEmpty {
            stage.sync(text("!gif owl", id: "$1"), next: "s\(number + 1)")
            stage.clock.advance(by: .minutes(1))
            for _ in 0..<200 { await Task.yield() }
        }
        #expect(stage.bot.texts.contains("!gif owl"))
        #expect(stage.lines.lines.contains { $0.contains("encrypted rooms are left alone until") })
        await stage.adapter.stop(by: stage.clock.now)
    }

    @Test("One wrong answer about the device's keys costs nothing: the next start finds them where they were")
    func wrongAnswer() async throws {
        let stage = Stage(told: [
            "device_keys": .object(
                JSONObject([
                    .init(bot, ["DEV": ["keys": ["ed25519:DEV": "another", "curve25519:DEV": "another"]]])
                ]))
        ])
        try await stage.until("it to be told") {
            stage.lines.lines.contains { $0.contains("encrypted rooms are left alone until") }
        }
        try await stage.until("the bot to go on") { stage.server.requests("/v3/sync").count >= 1 }
        await stage.adapter.stop(by: stage.clock.now)
        let account = try #require(stage.keys.store.content.account)
        let next = Bench(crypto: stage.keys)
        next.adapter.start()
        #expect(await next.until { next.adapter.encryption?.isIntroduced == true })
        await next.adapter.stop(by: next.clock.now)
        let identity = try LibolmDriver(random: { randomBytes($0) }).account(
            from: account.pickle, key: KeySource.pickleKey
        ).identityKeys
        let uploaded = next.server.requests("/keys/upload").compactMap { try? JSONValue(parsing: $0.body ?? []) }
        #expect(uploaded.first?["device_keys"]?["keys"]?["ed25519:DEV"]?.string == identity.ed25519)
    }

    @Test("Whose devices get keys is the operator's to say", arguments: [false, true])
    func trust(_ crossSignedOnly: Bool) async throws {
        let stage = Stage { $0.crossSignedOnly = crossSignedOnly }
        try await stage.until("a machine") { !stage.keys.trusts.isEmpty }
        #expect(stage.keys.trusts == [crossSignedOnly ? .crossSigned : .crossSignedOrWithout])
        await stage.adapter.stop(by: stage.clock.now)
    }
}
