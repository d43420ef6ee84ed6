import Base
import Chat
import HTTP
import JSON
import Libolm
import Matrix
import MatrixCrypto
import OpenSSL
import Synchronization
import TestSupport
import Testing

@testable import MatrixAdapter

/// Stores that last as long as the test, and what is done to them.
private final class Shelf: CryptoSource {
    private struct Entry: Sendable {
        var fault: CryptoError?
        var trusts: [DeviceTrust] = []
        var discarded = 0
    }

    private let entry = Mutex(Entry())

    var fault: CryptoError? {
        get { entry.withLock(\.fault) }
        set { entry.withLock { $0.fault = newValue } }
    }
    var trusts: [DeviceTrust] { entry.withLock(\.trusts) }
    var discarded: Int { entry.withLock(\.discarded) }

    var attachments: AttachmentCipher {
        AttachmentCipher(random: { randomBytes($0) }, aes256CTR: { _, _, _ in nil }, sha256: { _ in [] })
    }

    func machine(user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust) throws(CryptoError)
        -> OlmMachine
    {
        entry.withLock { $0.trusts.append(trust) }
        return try OlmMachine(
            userID: user, deviceID: device, driver: LibolmDriver(random: { randomBytes($0) }),
            store: FaultyStore { [weak self] in self?.fault }, pickleKey: [UInt8](repeating: 1, count: 32),
            trust: trust, random: { randomBytes($0) })
    }

    func discard(user: String) throws(CryptoError) { entry.withLock { $0.discarded += 1 } }
}

@Suite("Stores of keys", .serialized) @Loop struct KeyStoreTests {
    private final class Stage {
        let clock = ManualClock()
        let server = FakeHomeserver()
        let lines = RecordingLog()
        let bot = RecordingBot()
        let shelf = Shelf()
        let adapter: MatrixAdapter

        @Loop init(keys: JSONValue = ["device_keys": [:]], _ change: (inout MatrixAccountSettings) -> Void = { _ in }) {
            server.next("/keys/query", times: 50, .ok(keys))
            server.next("/keys/upload", times: 50, .ok(["one_time_key_counts": ["signed_curve25519": 50]]))
            adapter = MatrixAdapter(
                settings: tokenSettings(change), admins: [ada], ignore: [], ageLimit: .minutes(2), http: server,
                clock: clock, store: MemoryStore(position: "s0", session: nil, answered: []),
                log: Log("matrix", to: lines), handler: bot, crypto: shelf, random: { 0.5 })
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
        stage.shelf.fault = .storeLost("SQLite 11: malformed")
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

    @Test("A store that can't be written now: the sync is asked for again, ever later")
    func full() async throws {
        let stage = Stage()
        try await stage.until("a sync") { stage.server.requests("/v3/sync").count == 1 }
        stage.shelf.fault = .store("the disk is full")
        for number in 0..<300 {
            stage.server.sync(.ok(["next_batch": .string("s\(number)")]))
            stage.clock.advance(by: .seconds(1))
            for _ in 0..<50 { await Task.yield() }
            try await Task.sleep(for: .milliseconds(1))
        }
        let count = stage.server.requests("/v3/sync").count
        #expect(count >= 4 && count <= 20, "\(count)")
        await stage.adapter.stop(by: stage.clock.now)
    }

    @Test("One wrong answer about the device's keys destroys nothing")
    func wrongAnswer() async throws {
        let stage = Stage(keys: [
            "device_keys": .object(
                JSONObject([
                    .init(bot, ["DEV": ["keys": ["ed25519:DEV": "another", "curve25519:DEV": "another"]]])
                ]))
        ])
        try await stage.until("it to be told") {
            stage.lines.lines.contains { $0.contains("encrypted rooms are left alone until") }
        }
        try await stage.until("the bot to go on") { stage.server.requests("/v3/sync").count >= 1 }
        #expect(stage.shelf.discarded == 0)
        await stage.adapter.stop(by: stage.clock.now)
    }

    @Test("Whose devices get keys is the operator's to say", arguments: [false, true])
    func trust(_ crossSignedOnly: Bool) async throws {
        let stage = Stage { $0.crossSignedOnly = crossSignedOnly }
        try await stage.until("a machine") { !stage.shelf.trusts.isEmpty }
        #expect(stage.shelf.trusts == [crossSignedOnly ? .crossSigned : .crossSignedOrWithout])
        await stage.adapter.stop(by: stage.clock.now)
    }
}
