import JSON
import Libolm
@testable import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

/// What must not be believed, and what a broken session costs.
@Suite struct HostileTests {
    let server = StandInServer()
    let bot: Phone
    let mallory: Forger

    init() throws {
        bot = try Phone("@bot:example.test", "BOT", on: server).start()
        mallory = try Forger("@mallory:example.test", "M", on: server)
        bot.machine.tracker.follow([mallory.user])
        try bot.drain()
    }

    private func key() throws -> JSONObject { mallory.envelope("m.room_key", try mallory.group().content, to: bot) }

    private func discarded(_ envelope: JSONObject, from sender: String? = nil) throws -> String? {
        mallory.deliver(try mallory.seal(envelope, to: bot), from: sender, to: bot)
        let before = bot.discarded.count
        try bot.sync()
        #expect(bot.roomKeys == 0 && bot.store.content.inbound.isEmpty)
        return bot.discarded.dropFirst(before).first
    }

    @Test func whatIsInOrderIsTaken() throws {
        mallory.deliver(try mallory.seal(try key(), to: bot), to: bot)
        try bot.sync()
        #expect(bot.roomKeys == 1)
    }

    /// "Validation of incoming decrypted events", each check.
    @Test func everyFieldOfTheEnvelopeCounts() throws {
        var wrong = try key()
        wrong["sender"] = "@ada:example.test"
        #expect(try discarded(wrong) == "made by another sender")
        // A session is used for its own user alone.
        #expect(try discarded(try key(), from: "@ada:example.test") == "no session reads it")
        wrong = try key()
        wrong["recipient"] = "@ada:example.test"
        #expect(try discarded(wrong) == "made for another user")
        wrong["recipient"] = nil
        #expect(try discarded(wrong) == "made for another user")
        wrong = try key()
        wrong["recipient_keys"] = ["ed25519": .string(mallory.account.identityKeys.ed25519)]
        #expect(try discarded(wrong) == "made for another device")
        wrong = try key()
        wrong["keys"] = ["ed25519": .string(bot.machine.identityKeys.ed25519)]
        #expect(try discarded(wrong) == "the sender's keys don't belong together")
        wrong["keys"] = nil
        #expect(try discarded(wrong) == "without the sender's key")
        wrong = try key()
        wrong["content"] = "text"
        #expect(try discarded(wrong) == "the plaintext is no event")
    }

    @Test func senderDeviceKeysAreChecked() throws {
        var wrong = try key()
        wrong["sender_device_keys"] = .object(try mallory.deviceKeys(isSigned: false))
        #expect(try discarded(wrong) == "sender_device_keys aren't the sender's, or not signed")
        wrong["sender_device_keys"] = .object(try mallory.deviceKeys(user: "@ada:example.test"))
        #expect(try discarded(wrong) == "sender_device_keys aren't the sender's, or not signed")
        wrong["sender_device_keys"] = .object(
            try mallory.deviceKeys(curve25519: bot.machine.identityKeys.curve25519))
        #expect(try discarded(wrong) == "sender_device_keys are another device's")
        wrong["sender_device_keys"] = "text"
        #expect(try discarded(wrong) == "sender_device_keys aren't the sender's, or not signed")
        var good = try key()
        good["sender_device_keys"] = .object(try mallory.deviceKeys())
        mallory.deliver(try mallory.seal(good, to: bot), to: bot)
        try bot.sync()
        #expect(bot.roomKeys == 1)
    }

    @Test(arguments: ["m.room_key", "m.forwarded_room_key", "m.secret.send", "m.dummy"])
    func whatMustBeEncryptedCountsForNothingInClear(_ type: String) throws {
        mallory.deliver(try mallory.group().content, as: type, to: bot)
        try bot.sync()
        #expect(bot.roomKeys == 0 && bot.discarded == ["it has to be encrypted"])
    }

    @Test(arguments: [
        JSONValue.object([:]), "text", ["algorithm": "m.megolm.v1.aes-sha2"],
        [
            "algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": "x",
            "ciphertext": ["other": ["type": 0, "body": ""]],
        ],
    ]) func whatIsNoOlmMessageIsDropped(_ content: JSONValue) throws {
        mallory.deliver(content, to: bot)
        mallory.deliver(try mallory.seal(try key(), to: bot), to: bot)
        try bot.sync()
        #expect(bot.discarded.count == 1 && bot.roomKeys == 1)
    }

    /// Somebody else's key under one's own name takes nothing from its maker.
    @Test func aKeyThatSomebodyPassesOnAsTheirsIsUsedForThemAlone() throws {
        let ada = try Forger("@ada:example.test", "A", on: server)
        let (session, content) = try ada.group()
        let stolen = mallory.envelope("m.room_key", content, to: bot)
        mallory.deliver(try mallory.seal(stolen, to: bot), to: bot)
        try bot.sync()
        let event = try Forger.event(session, Forger.text("hello"))
        #expect(try bot.text(event, from: ada.user, event: "$1") == nil)
        ada.deliver(try ada.seal(ada.envelope("m.room_key", content, to: bot), to: bot), to: bot)
        try bot.sync()
        #expect(try bot.text(event, from: ada.user, event: "$1") == "hello")
    }

    @Test func aSessionIDThatIsNotTheKeysIsRefused() throws {
        var content = try #require(try mallory.group().content.object)
        content["session_id"] = .string(try mallory.group().session.id)
        mallory.deliver(try mallory.seal(mallory.envelope("m.room_key", .object(content), to: bot), to: bot), to: bot)
        try bot.sync()
        #expect(bot.discarded == ["the session key isn't the session's"])
    }

    @Test func onlyMoreOfTheSameSessionReplacesIt() throws {
        let (session, first) = try mallory.group()
        let zero = try Forger.event(session, Forger.text("zero"))
        let later = try mallory.roomKey(session)
        let one = try Forger.event(session, Forger.text("one"))
        func send(_ content: JSONValue) throws {
            mallory.deliver(try mallory.seal(mallory.envelope("m.room_key", content, to: bot), to: bot), to: bot)
            try bot.sync()
        }
        try send(later)
        #expect(try bot.text(one, from: mallory.user, event: "$1") == "one")
        #expect(try bot.text(zero, from: mallory.user, event: "$0") == nil)
        try send(first)
        #expect(bot.roomKeys == 2)
        #expect(try bot.text(zero, from: mallory.user, event: "$0") == "zero")
        try send(later)
        #expect(bot.roomKeys == 2)
        #expect(try bot.text(zero, from: mallory.user, event: "$0") == "zero")
        // What was read stays known as read.
        #expect(try bot.read(one, from: mallory.user, event: "$2") == .refused("a repetition of another event"))
        // Another device of the same person has it, so it says.
        let second = try Forger(mallory.user, "M2", on: server)
        second.deliver(try second.seal(second.envelope("m.room_key", first, to: bot), to: bot), to: bot)
        try bot.sync()
        #expect(bot.discarded == ["another device of the sender has this session"])
    }

    @Test func aPlaintextForAnotherRoomOrOfAnotherShapeIsRefused() throws {
        let (session, content) = try mallory.group()
        mallory.deliver(try mallory.seal(mallory.envelope("m.room_key", content, to: bot), to: bot), to: bot)
        try bot.sync()
        let other = try Forger.event(session, Forger.text("x", in: "!other:example.test"))
        #expect(try bot.read(other, from: mallory.user, event: "$1") == .refused("made for another room"))
        for (number, plaintext)
            in ([[], "text", ["type": "m.room.message"], ["type": 1, "content": [:]]] as [JSONValue]).enumerated()
        {
            let event = try Forger.event(session, plaintext)
            #expect(
                try bot.read(event, from: mallory.user, event: "$a\(number)") == .refused("the plaintext is no event"))
        }
        // An inner relation is nobody's.
        let event = try Forger.event(
            session,
            [
                "type": "m.room.message", "room_id": .string(room),
                "content": ["body": "x", "m.relates_to": ["event_id": "$x"]],
            ])
        #expect(
            try bot.read(event, from: mallory.user, event: "$b")
                == .clear(type: "m.room.message", content: ["body": "x"]))
    }

    @Test func anIndexFarBelowTheHighestIsRefused() throws {
        let (session, content) = try mallory.group()
        mallory.deliver(try mallory.seal(mallory.envelope("m.room_key", content, to: bot), to: bot), to: bot)
        try bot.sync()
        let first = try Forger.event(session, Forger.text("first"))
        for _ in 0..<CryptoLimits.replayWindow - 1 { _ = try session.encrypt([1]) }
        let last = try Forger.event(session, Forger.text("last"))
        #expect(try bot.text(last, from: mallory.user, event: "$2") == "last")
        #expect(
            try bot.read(first, from: mallory.user, event: "$1")
                == .refused("too old to tell it from a repetition"))
    }

    @Test func aSessionThatReadsNothingIsReplacedOnceAnHour() throws {
        try mallory.publish(5)
        func sendNonsense() throws {
            var content = try #require(try mallory.seal(try key(), to: bot).object)
            let body = "AwogAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQACIgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            let part: JSONValue = ["type": 1, "body": .string(body)]
            content["ciphertext"] = .object(JSONObject([.init(bot.machine.identityKeys.curve25519, part)]))
            mallory.deliver(.object(content), to: bot)
            try bot.sync()
        }
        try sendNonsense()
        try sendNonsense()
        #expect(bot.discarded == ["no session reads it", "no session reads it"])
        #expect(bot.sent("m.room.encrypted").count == 1)
        let sent = server.devices[mallory.user]?["M"]?.inbox.last?.content["ciphertext"]
        let part = try #require(sent?[mallory.account.identityKeys.curve25519])
        #expect(part["type"] == 0)
        let message = OlmMessage(type: 0, body: try #require(part["body"]?.string))
        let session = try mallory.account.inboundSession(
            from: bot.machine.identityKeys.curve25519, message: message)
        let plaintext = try JSONValue(parsing: session.decrypt(message))
        #expect(plaintext["type"] == "m.dummy" && plaintext["content"] == [:])
        #expect(plaintext["sender_device_keys"]?["signatures"] != nil)
        try bot.restart()
        try sendNonsense()
        #expect(bot.sent("m.room.encrypted").count == 1)
        bot.now += hour
        try sendNonsense()
        #expect(bot.sent("m.room.encrypted").count == 2)
    }

    @Test func aBrokenSessionOfSomebodyUnknownIsReplacedOnceTheyShareARoom() throws {
        let stranger = try Forger("@stranger:example.test", "S", on: server)
        try stranger.publish(1)
        try bot.sync()
        // What it begins is lost; what is sent after that, nobody can read.
        let session = try stranger.session(with: bot)
        var sealed = try #require(try stranger.seal(stranger.envelope("m.dummy", [:], to: bot), to: bot).object)
        let body = try session.encrypt([1]).body
        let part: JSONValue = ["type": 1, "body": .string(body)]
        sealed["ciphertext"] = .object(JSONObject([.init(bot.machine.identityKeys.curve25519, part)]))
        stranger.deliver(.object(sealed), to: bot)
        bot.calls = []
        try bot.sync()
        #expect(bot.calls.isEmpty)
        _ = try bot.read(try Forger.event(stranger.group().session, [:]), from: stranger.user, event: "$1")
        try bot.drain()
        #expect(bot.sent("m.room.encrypted").count == 1)
    }

    /// What can be called is, while the store can't be read; and nobody waits for ever after that.
    @Test func anUnreadableStoreKeepsNobodyWaitingForEver() throws {
        try mallory.publish(1)
        try bot.machine.send(
            type: "m.key.verification.ready", content: ["a": 1], to: [DeviceName(user: mallory.user, device: "M")],
            encrypted: true, now: bot.now)
        bot.machine.tracker.follow(["@ada:example.test"])
        bot.store.isUnreadable = true
        let requests = try bot.machine.requests(now: bot.now)
        #expect(requests.map(\.call) == [.queryKeys(users: ["@ada:example.test"])])
        for request in requests { try bot.make(request) }
        #expect(throws: CryptoError.store("the disk can't be read")) { try bot.machine.requests(now: bot.now) }
        bot.store.isUnreadable = false
        try bot.drain()
        #expect(server.devices[mallory.user]?["M"]?.inbox.map(\.type) == ["m.room.encrypted"])
    }

    @Test func sessionsWithOneDeviceAreBounded() throws {
        for _ in 0..<12 {
            mallory.deliver(try mallory.seal(mallory.envelope("m.dummy", [:], to: bot), to: bot, isNew: true), to: bot)
            try bot.sync()
            bot.now += 1
        }
        #expect(bot.store.content.olmSessions.count == CryptoLimits.olmSessionsOfDevice)
        mallory.deliver(try mallory.seal(try key(), to: bot), to: bot)
        try bot.sync()
        #expect(bot.roomKeys == 1)
    }

    @Test func keysForRoomsThatNobodyKnowsAreFew() throws {
        let (session, content) = try mallory.group()
        mallory.deliver(try mallory.seal(mallory.envelope("m.room_key", content, to: bot), to: bot), to: bot)
        try bot.sync()
        try bot.machine.noteEncryption(of: room, .standard)
        for number in 0..<EarlyKeys.limit + 20 {
            let other = try mallory.group().session
            var made = try #require(try mallory.roomKey(other).object)
            made["room_id"] = .string("!made-up-\(number):example.test")
            mallory.deliver(
                try mallory.seal(mallory.envelope("m.room_key", .object(made), to: bot), to: bot), to: bot)
        }
        try bot.sync()
        #expect(bot.store.content.inbound.count == EarlyKeys.limit + 1)
        let event = try Forger.event(session, Forger.text("hello"))
        #expect(try bot.text(event, from: mallory.user, event: "$1") == "hello")
    }

    /// Whoever waits for a message is told by its sender alone that the key won't come.
    @Test func nobodyWithholdsTheKeyOfAnother() throws {
        let ada = try Forger("@ada:example.test", "A", on: server)
        let (session, _) = try ada.group()
        let event = try Forger.event(session, Forger.text("hello"))
        _ = try bot.read(event, from: ada.user, event: "$1")
        let content: JSONValue = [
            "algorithm": "m.megolm.v1.aes-sha2", "code": "m.unverified", "room_id": .string(room),
            "session_id": .string(session.id), "sender_key": .string(ada.account.identityKeys.curve25519),
        ]
        mallory.deliver(content, as: "m.room_key.withheld", to: bot)
        #expect(
            try bot.sync() == [
                .discarded(
                    type: "m.room_key.withheld", sender: mallory.user, reason: "for another sender's session")
            ])
        ada.deliver(content, as: "m.room_key.withheld", to: bot)
        #expect(try bot.sync() == [.withheld(session: session.id, room: room, sender: ada.user, code: "m.unverified")])
    }

    @Test func madeUpMessagesFloodNobody() throws {
        for number in 0..<100 {
            let content: JSONValue = [
                "algorithm": "m.megolm.v1.aes-sha2", "session_id": .string("session \(number)"), "ciphertext": "x",
            ]
            _ = try bot.read(content, from: mallory.user, event: "$\(number)")
        }
        bot.now += KeyRequests.patience
        try bot.drain()
        #expect(bot.sent("m.room_key_request").count == KeyRequests.mostAMinute)
        #expect(bot.machine.nextDeadline == bot.now + 60_000)
        bot.now += 60_000
        try bot.drain()
        #expect(bot.sent("m.room_key_request").count == 2 * KeyRequests.mostAMinute)
    }

    @Test func keysOfOneSenderAreBounded() throws {
        try bot.machine.noteEncryption(of: room, .standard)
        for _ in 0..<CryptoLimits.inboundSessionsOfSender + 5 {
            mallory.deliver(try mallory.seal(try key(), to: bot), to: bot)
            bot.now += 1
        }
        try bot.sync()
        mallory.deliver(try mallory.seal(try key(), to: bot), to: bot)
        try bot.sync()
        #expect(bot.store.content.inbound.count == CryptoLimits.inboundSessionsOfSender)
    }

    /// A one-time key goes when something was read with it, not before.
    @Test func aDamagedFirstMessageUsesUpNoKey() throws {
        let good = try mallory.seal(try key(), to: bot)
        var damaged = try #require(good.object)
        let body = try #require(good["ciphertext"]?[bot.machine.identityKeys.curve25519]?["body"]?.string)
        let part: JSONValue = ["type": 0, "body": .string(String(body.dropLast(11)) + "AAAAAAAAAAA")]
        damaged["ciphertext"] = .object(JSONObject([.init(bot.machine.identityKeys.curve25519, part)]))
        mallory.deliver(.object(damaged), to: bot)
        mallory.deliver(good, to: bot)
        try bot.sync()
        #expect(bot.discarded == ["no session reads it"] && bot.roomKeys == 1)
    }

    /// Answers of the device itself to our request are taken, others' are not.
    @Test func aForwardedKeyIsTakenFromItsMakerAloneAndIfItWasAskedFor() throws {
        let (session, content) = try mallory.group()
        // "Session export format": the sharing format with another version, and without its signature.
        let shared = try #require(Base64.decode(try session.sessionKey()))
        let exported = Base64.encode([1] + shared[1..<165])
        var forwarded = try #require(content.object)
        forwarded["session_key"] = .string(exported)
        forwarded["sender_key"] = .string(mallory.account.identityKeys.curve25519)
        forwarded["sender_claimed_ed25519_key"] = .string(mallory.account.identityKeys.ed25519)
        forwarded["forwarding_curve25519_key_chain"] = []
        func send(_ forger: Forger) throws {
            let envelope = forger.envelope("m.forwarded_room_key", .object(forwarded), to: bot)
            forger.deliver(try forger.seal(envelope, to: bot), to: bot)
            try bot.sync()
        }
        try send(mallory)
        #expect(bot.discarded == ["a key that wasn't asked for"])
        let event = try Forger.event(session, Forger.text("late"))
        _ = try bot.text(event, from: mallory.user, event: "$1")
        bot.now += KeyRequests.patience
        try bot.drain()
        try send(try Forger(mallory.user, "M2", on: server))
        #expect(bot.discarded.last == "a key of another device's")
        try send(mallory)
        #expect(try bot.text(event, from: mallory.user, event: "$1") == "late")
    }

    @Test func verificationIsPassedOnFromBothWays() throws {
        let step: JSONValue = ["transaction_id": "x"]
        mallory.deliver(step, as: "m.key.verification.request", to: bot)
        mallory.deliver(try mallory.seal(mallory.envelope("m.key.verification.start", step, to: bot), to: bot), to: bot)
        let events = try bot.sync()
        #expect(
            events == [
                .verification(ToDeviceEvent(type: "m.key.verification.request", sender: mallory.user, content: step)),
                .verification(ToDeviceEvent(type: "m.key.verification.start", sender: mallory.user, content: step)),
            ])
    }

    @Test func aLetterToADeviceIsEncryptedForIt() throws {
        try mallory.publish(1)
        try bot.machine.send(
            type: "m.key.verification.ready", content: ["a": 1], to: [DeviceName(user: mallory.user, device: "M")],
            encrypted: true, now: bot.now)
        try bot.machine.send(
            type: "m.key.verification.done", content: ["b": 1], to: [DeviceName(user: mallory.user, device: "M")],
            encrypted: false, now: bot.now)
        try bot.drain()
        #expect(
            server.devices[mallory.user]?["M"]?.inbox.map(\.type).sorted() == [
                "m.key.verification.done", "m.room.encrypted",
            ])
    }
}
