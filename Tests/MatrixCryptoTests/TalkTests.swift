import JSON
@testable import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

/// Machines that talk to each other.
@Suite struct TalkTests {
    let server = StandInServer()
    let bot: Phone
    let ada: Phone
    let people = ["@bot:example.test", "@ada:example.test"]

    init() throws {
        bot = try Phone("@bot:example.test", "BOT", on: server).start()
        ada = try Phone("@ada:example.test", "ADA", on: server).start()
    }

    @Test func bothReadEachOther() throws {
        let question = try ada.write("!gif party", to: people)
        try bot.sync()
        #expect(bot.roomKeys == 1)
        #expect(try bot.text(question, from: ada.user, event: "$1") == "!gif party")
        let answer = try bot.write("a GIF", to: people)
        try ada.sync()
        #expect(try ada.text(answer, from: bot.user, event: "$2") == "a GIF")
    }

    @Test func theRelationStandsOutsideAndIsPutBack() throws {
        try ada.ready(ada.audience(people))
        let relation: JSONValue = ["rel_type": "m.thread", "event_id": "$root"]
        let content = try ada.machine.encrypt(
            type: "m.room.message", content: ["msgtype": "m.text", "body": "x", "m.relates_to": relation], in: room,
            now: ada.now)
        #expect(content["m.relates_to"] == relation)
        try bot.sync()
        _ = try bot.text(content, from: ada.user, event: "$0")
        let read = try bot.read(content, from: ada.user, event: "$0")
        #expect(
            read
                == .clear(
                    type: "m.room.message", content: ["msgtype": "m.text", "body": "x", "m.relates_to": relation]))
        // What the server puts there instead is what holds, and nothing if there is nothing.
        var bare = try #require(content.object)
        bare["m.relates_to"] = nil
        #expect(
            try bot.read(.object(bare), from: ada.user, event: "$0")
                == .clear(type: "m.room.message", content: ["msgtype": "m.text", "body": "x"]))
    }

    @Test func anIndexIsReadInOneEventAlone() throws {
        let first = try ada.write("one", to: people)
        let second = try ada.write("two", to: people)
        try bot.sync()
        #expect(try bot.text(second, from: ada.user, event: "$2") == "two")
        #expect(try bot.text(first, from: ada.user, event: "$1") == "one")
        #expect(try bot.text(first, from: ada.user, event: "$1") == "one")
        #expect(try bot.read(first, from: ada.user, event: "$3") == .refused("a repetition of another event"))
        try bot.restart()
        #expect(try bot.read(first, from: ada.user, event: "$3") == .refused("a repetition of another event"))
        #expect(try bot.text(second, from: ada.user, event: "$2") == "two")
    }

    @Test func aMessageOfAnotherRoomOrSenderIsNotRead() throws {
        let content = try ada.write("one", to: people)
        try bot.sync()
        #expect(try bot.text(content, from: ada.user, event: "$1", in: "!other:example.test") == nil)
        #expect(try bot.text(content, from: "@bo:example.test", event: "$1") == nil)
        #expect(try bot.text(content, from: ada.user, event: "$1") == "one")
        var damaged = try #require(content.object)
        damaged["ciphertext"] = .string(String(try #require(damaged["ciphertext"]?.string).dropLast(8)))
        guard case .refused = try bot.read(.object(damaged), from: ada.user, event: "$4") else {
            Issue.record("damaged, and not refused")
            return
        }
    }

    @Test(arguments: [
        JSONValue.object([:]), "text", ["algorithm": "m.olm.v1.curve25519-aes-sha2"],
        ["algorithm": "m.megolm.v1.aes-sha2"],
        ["algorithm": "m.megolm.v1.aes-sha2", "session_id": 1, "ciphertext": "x"],
    ]) func whatIsNoMegolmMessageIsRefused(_ content: JSONValue) throws {
        guard case .refused = try bot.read(content, from: ada.user, event: "$1") else {
            Issue.record("not refused: \(content)")
            return
        }
    }

    @Test func aKeyThatComesLateIsTold() throws {
        let content = try ada.write("late", to: people)
        let keys = server.devices[bot.user]?[bot.id]?.inbox ?? []
        server.devices[bot.user]?[bot.id]?.inbox = []
        try bot.sync()
        let session = try #require(content["session_id"]?.string)
        #expect(try bot.read(content, from: ada.user, event: "$1") == .missingKey(session: session))
        server.devices[bot.user]?[bot.id]?.inbox = keys
        #expect(try bot.sync() == [.roomKey(session: session, room: room)])
        #expect(try bot.text(content, from: ada.user, event: "$1") == "late")
    }

    @Test func aMissingKeyIsAskedForOnceAnHourAndTheRequestTakenBack() throws {
        let content = try ada.write("late", to: people)
        let keys = server.devices[bot.user]?[bot.id]?.inbox ?? []
        server.devices[bot.user]?[bot.id]?.inbox = []
        for _ in 0..<3 {
            _ = try bot.text(content, from: ada.user, event: "$1")
            bot.now += 10_000
            try bot.drain()
        }
        for _ in 0..<3 {
            _ = try bot.text(content, from: ada.user, event: "$1")
            bot.now += 1_000_000
            try bot.drain()
        }
        let requests = bot.sent("m.room_key_request")
        #expect(requests.count == 1)
        let request = requests.first?[ada.user]?["*"]
        #expect(request?["action"] == "request" && request?["body"]?["session_id"] == content["session_id"])
        // Nobody's requests are answered, ours by ada's machine neither.
        try ada.sync()
        #expect(server.devices[bot.user]?[bot.id]?.inbox.isEmpty == true)
        bot.now += hour
        _ = try bot.text(content, from: ada.user, event: "$1")
        bot.now += 20_000
        try bot.drain()
        #expect(bot.sent("m.room_key_request").count == 2)
        server.devices[bot.user]?[bot.id]?.inbox = keys
        try bot.sync()
        #expect(bot.sent("m.room_key_request").last?[ada.user]?["*"]?["action"] == "request_cancellation")
    }

    @Test func theSameSyncTwiceIsReadOnce() throws {
        let content = try ada.write("one", to: people)
        let sync = server.sync(bot.user, bot.id)
        bot.store.isFull = true
        #expect(throws: CryptoError.self) { try bot.machine.received(sync, now: bot.now) }
        bot.store.isFull = false
        // Nothing of it is lost, and what was read is no broken session.
        bot.events += try bot.machine.received(sync, now: bot.now)
        #expect(bot.roomKeys == 1 && bot.discarded.isEmpty)
        try bot.restart()
        bot.events += try bot.machine.received(sync, now: bot.now)
        #expect(bot.roomKeys == 1 && bot.discarded.isEmpty)
        #expect(try bot.text(content, from: ada.user, event: "$1") == "one")
    }

    @Test func afterAKillBeforeTheSyncWasWrittenItIsReadAgain() throws {
        let content = try ada.write("one", to: people)
        let sync = server.sync(bot.user, bot.id)
        bot.store.isFull = true
        #expect(throws: CryptoError.self) { try bot.machine.received(sync, now: bot.now) }
        bot.store.isFull = false
        try bot.restart()
        bot.events += try bot.machine.received(sync, now: bot.now)
        #expect(try bot.text(content, from: ada.user, event: "$1") == "one")
    }

    @Test func whatIsTooLargeOrNoJSONIsNotEncrypted() throws {
        try bot.ready(bot.audience(people))
        let large: JSONValue = ["body": .string(String(repeating: "x", count: 50_000))]
        #expect(throws: CryptoError.unusableContent) {
            _ = try bot.machine.encrypt(type: "m.room.message", content: large, in: room, now: bot.now)
        }
        #expect(throws: CryptoError.unusableContent) {
            _ = try bot.machine.encrypt(type: "m.room.message", content: ["w": .number(1.5)], in: room, now: bot.now)
        }
        #expect(throws: CryptoError.notPrepared) {
            _ = try bot.machine.encrypt(type: "m.room.message", content: [:], in: "!new:example.test", now: bot.now)
        }
    }

    @Test func aRatchetIsSavedBeforeItsMessageIsGivenOut() throws {
        try bot.ready(bot.audience(people))
        bot.store.isFull = true
        #expect(throws: CryptoError.self) {
            _ = try bot.machine.encrypt(type: "m.room.message", content: [:], in: room, now: bot.now)
        }
        bot.store.isFull = false
        let content = try bot.write("one", to: people)
        try bot.restart()
        let next = try bot.write("two", to: people)
        try ada.sync()
        #expect(try ada.text(next, from: bot.user, event: "$2") == "two")
        #expect(try ada.text(content, from: bot.user, event: "$1") == "one")
    }

    @Test func encryptionIsRememberedWithinBounds() throws {
        #expect(!bot.machine.isEncrypted(room))
        try bot.machine.noteEncryption(
            of: room, RoomEncryption(content: ["rotation_period_msgs": -5, "rotation_period_ms": 1]))
        try bot.restart()
        #expect(bot.machine.isEncrypted(room))
        #expect(bot.store.content.rooms[room] == RoomEncryption(rotationMessages: 1, rotationPeriod: hour))
        #expect(RoomEncryption(content: "no object") == .standard)
    }
}
