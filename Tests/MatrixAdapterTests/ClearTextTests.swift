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

private func command(_ id: String, in room: String = room1) -> ChatMessage {
    ChatMessage(
        id: id, conversation: Conversation(network: "home", name: room, isDirect: false),
        sender: Sender(identity: .userID(ada), name: ada, isAdmin: false, isOperator: false), text: "!gif owl",
        isAddressed: true,
        age: .zero, address: RoomAddress(room: room, thread: nil).text)
}

private func answer(to message: ChatMessage, _ media: ReplyMedia? = nil) -> Reply {
    Reply(
        kind: .answer, audience: .conversation, text: "Owl", url: nil, id: message.id.map(AnswerID.init), media: media)
}

private let parrot = ReplyMedia(
    id: "giphy:1",
    files: [
        ReplyMedia.File(
            url: "https://media.test/a.gif", mediaType: "image/gif", width: 5, height: 4, byteCount: nil)
    ],
    title: "Parrot", altText: nil, maximumBytes: 8_000_000)

extension FakeHomeserver {
    fileprivate var clearPuts: [String] {
        requests("/send/").map(\.url).filter { !$0.contains("/send/m.room.encrypted/") }
    }
}

@Suite("No clear text where a room is encrypted, or may be") @Loop struct ClearTextTests {
    private func running(_ keys: KeySource, state: [JSONValue]) async -> Bench {
        let bench = Bench(crypto: keys)
        bench.adapter.start()
        #expect(await bench.until { !bench.server.requests("/v3/sync").isEmpty })
        await bench.sync(state: state)
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 2 })
        return bench
    }

    @Test("An answer that waits while encryption is switched off by a reload never goes out in clear")
    func reload() async {
        let bench = await running(KeySource(), state: [created, encryptionOn])
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", ["retry_after_ms": 30_000]))
        bench.server.next("media.test", times: 3, .bytes(SmallImage.gif(frames: 3)))
        #expect(bench.adapter.send(answer(to: command("$1"), parrot), to: command("$1")) == .accepted)
        #expect(await bench.until { bench.server.requests("/send/").count == 1 })
        let syncs = bench.server.requests("/v3/sync").count
        bench.adapter.update(
            settings: tokenSettings { $0.encryption = false }, admins: [], ignore: [], ageLimit: .minutes(2))
        #expect(await bench.until { bench.server.requests("/v3/sync").count > syncs })
        // Nothing is known of the room before the first answer comes.
        await bench.advance(by: .seconds(31))
        await bench.advance(by: .seconds(31))
        await bench.sync(state: [created])
        await bench.advance(by: .seconds(31))
        #expect(bench.server.clearPuts == [])
        #expect(bench.server.requests("/upload?filename").isEmpty)
    }

    @Test("A room that the store of keys has for encrypted is so, whatever the server shows and the state forgot")
    func keyStore() async throws {
        let keys = KeySource()
        var changes = CryptoChanges()
        changes.encryptedRooms = [room1: .standard]
        try keys.store.write(changes)
        let bench = await running(keys, state: [created])
        #expect(bench.store.encryptedRooms == [room1])
        #expect(bench.adapter.send(answer(to: command("$1")), to: command("$1")) == .refused("the room is encrypted"))
        await bench.settle()
        #expect(bench.server.requests("/send/").isEmpty)
    }

    @Test("A file that is fetched while encryption is switched on isn't uploaded in clear, nor is the answer sent")
    func upload() async {
        let bench = await Bench.running()
        bench.server.next("media.test", .hang)
        #expect(bench.adapter.send(answer(to: command("$1"), parrot), to: command("$1")) == .accepted)
        await bench.settle()
        await bench.sync([encryptionOn])
        bench.server.release(.bytes(SmallImage.gif(frames: 3)))
        await bench.settle()
        #expect(bench.server.requests("/v3/upload").isEmpty && bench.server.requests("/send/").isEmpty)
    }

    @Test("While an answer of the server is still worked on, the room that it encrypts gets nothing in clear")
    func early() async {
        let bench = await Bench.running()
        // How many people are there has to be asked for, which takes its time.
        bench.server.next("/joined_members", .hang)
        await bench.sync([encryptionOn], people: nil)
        await bench.sync([text("!gif hen", id: "$9"), encryptionOn], room: "!r2:example.test", people: nil)
        #expect(bench.store.encryptedRooms == [room1, "!r2:example.test"])
    }

    @Test("What the sender puts is asked about last of all: events in clear need a room that is known to be plain")
    func last() async {
        let bench = await Bench.running()
        func event(_ type: String, in room: String) -> OutgoingEvent {
            OutgoingEvent(room: room, type: type, transactionID: "t", content: [], answers: "$1")
        }
        bench.store.save(encryptedRoom: "!r3:example.test", of: bot)
        await bench.sync(room: "!r3:example.test")
        for room in ["!unknown:example.test", "!r3:example.test"] {
            for type in ["m.room.message", "m.sticker", "m.key.verification.ready"] {
                #expect(!bench.adapter.mayPut(event(type, in: room)))
            }
            for type in ["m.room.encrypted", "m.reaction", "m.room.redaction"] {
                #expect(bench.adapter.mayPut(event(type, in: room)))
            }
        }
        #expect(bench.adapter.mayPut(event("m.room.message", in: room1)))
        // Once to be sealed, always.
        bench.adapter.sealedOnly.insert("t")
        #expect(!bench.adapter.mayPut(event("m.room.message", in: room1)))
    }

    /// Past a message whose key isn't there.
    private func waiting(_ keys: KeySource) async -> Bench {
        let bench = await running(keys, state: [created, encryptionOn])
        // What was said before the start isn't waited for.
        await bench.advance(by: .minutes(10))
        let sealed: JSONValue = [
            "algorithm": "m.megolm.v1.aes-sha2", "session_id": "c2Vzc2lvbg", "ciphertext": "AwgA",
        ]
        await bench.sync([event("m.room.encrypted", sealed, id: "$sealed")])
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 3 })
        #expect(bench.store.positions[bot] == "s1")
        return bench
    }

    @Test("Keys that are opened anew go on where they were: messages that wait for their key go on waiting")
    func anew() async {
        let keys = KeySource()
        let bench = await waiting(keys)
        bench.adapter.update(
            settings: tokenSettings { $0.recoveryKey = Secret("EsT") }, admins: [], ignore: [], ageLimit: .minutes(2))
        #expect(await bench.until { keys.timesOpened == 2 && bench.server.requests("/v3/sync").count > 3 })
        await bench.settle()
        // The new keys were asked for them too.
        #expect(await bench.until { bench.adapter.late.nextDeadline != nil })
        #expect(bench.store.positions[bot] == "s1")
        // Until it is too old to be answered.
        await bench.advance(by: .minutes(3))
        #expect(bench.store.positions[bot] == "s2")
    }

    @Test("A key that comes while its batch is still worked on isn't missed")
    func keyMeanwhile() async {
        let bench = await running(KeySource(), state: [created, encryptionOn])
        await bench.advance(by: .minutes(10))
        bench.adapter.waitingForKeys = [
            (
                SealedEvent(lateEvent, in: room1)!, session: "s"
            )
        ]
        bench.adapter.happened([.roomKey(session: "s", room: room1)])
        #expect(bench.adapter.keysMeanwhile == ["s"])
        bench.adapter.waitForKeys()
        // It is being tried already, and goes on waiting when the key isn't the right one.
        #expect(bench.adapter.late.keyCame("s", in: room1).isEmpty)
        #expect(await bench.until { bench.adapter.late.keyCame("s", in: room1).count == 1 })
    }

    private var lateEvent: MatrixEvent {
        var event = MatrixEvent()
        event.type = "m.room.encrypted"
        event.id = "$late"
        event.sender = ada
        event.age = 100
        event.sealed = Array(#"{"algorithm":"m.megolm.v1.aes-sha2","session_id":"s","ciphertext":"AwgA"}"#.utf8)
        return event
    }

    @Test("A stop keeps the position before messages that wait for their key")
    func stop() async {
        let bench = await waiting(KeySource())
        await bench.adapter.stop(by: bench.clock.now)
        await bench.advance(by: .minutes(10))
        #expect(bench.store.positions[bot] == "s1")
    }
}
