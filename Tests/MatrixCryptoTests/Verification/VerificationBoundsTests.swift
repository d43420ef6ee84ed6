import JSON
import Testing

@testable import MatrixCrypto

/// What is held back, and what is survived.
@Suite struct VerificationBoundsTests {
    private let book = AddressBook()
    private let alice: Person
    private let bot: Person
    private let mail: Mail

    init() {
        alice = Person("@alice:a", "PHONE", in: book)
        bot = Person("@bot:b", "GIFBOT", in: book)
        mail = Mail(alice, bot)
    }

    @Test func nobodyAttends() throws {
        bot.desk.closedBecause = "run gifbot verify"
        for _ in 0..<20 {
            _ = alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
            mail.deliver()
        }
        #expect(bot.asked == nil)
        #expect(alice.end == VerificationEnd(code: "m.user", reason: "run gifbot verify", isByThem: true))
        #expect(mail.types.count { $0 == "cancel" } == 5)
    }

    @Test func nobodyAttendsInARoom() throws {
        bot.desk.closedBecause = "run gifbot verify"
        let id = mail.request(alice, to: bot, in: "!room")
        mail.deliver()
        #expect(id != nil && alice.end?.reason == "run gifbot verify" && alice.end?.isByThem == true)
    }

    @Test func whatIsForOthersIsNoRequest() {
        bot.desk.received(
            VerificationMessage(
                type: "m.key.verification.request", sender: "@alice:a",
                content: ["from_device": "PHONE", "to": "@carol:c", "methods": ["m.sas.v1"]],
                place: .room("!room", event: "$r", time: mail.now)), now: mail.now)
        bot.collect()
        #expect(bot.asked == nil && bot.sent.isEmpty)
    }

    @Test(arguments: [-600_001, 300_001] as [Int64]) func anOldOrFutureRequestIsPassedOver(_ shift: Int64) {
        _ = alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now + shift)
        mail.deliver()
        #expect(bot.asked == nil && mail.types == ["request"])
    }

    @Test func twoAttemptsOfOneDeviceEndBoth() throws {
        _ = alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
        mail.deliver()
        _ = alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
        mail.deliver()
        #expect(bot.end?.code == "m.unexpected_message" && bot.desk.nextDeadline == nil)
        #expect(alice.desk.nextDeadline == nil)
    }

    @Test func eightAtMost() throws {
        let people = (0..<10).map { Person("@p\($0):a", "D", in: book) }
        for person in people {
            _ = person.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
            person.collect()
            guard case .toDevice(let type, let content, _) = person.sent.first else { continue }
            bot.desk.received(
                VerificationMessage(type: type, sender: person.name.user, content: content, place: .toDevice),
                now: mail.now)
        }
        bot.collect()
        #expect(bot.told.count { if case .asked = $0 { true } else { false } } == VerificationDesk.limit)
        #expect(bot.sent.count == 2)
        #expect(bot.desk.ask("@alice:a", devices: ["PHONE"], now: mail.now) == nil)
    }

    @Test func anythingAtAllIsSurvived() {
        let values: [JSONValue] = [.null, 7, "x", [], [:], .number(0.5), ["m.sas.v1": 1], .string("\u{0}")]
        for type in ["request", "ready", "start", "accept", "key", "mac", "done", "cancel", ""] {
            for value in values {
                for content: JSONValue in [
                    value, ["transaction_id": value], ["transaction_id": "t", "from_device": value],
                    ["transaction_id": "t", "from_device": "PHONE", "timestamp": value, "methods": value],
                    ["m.relates_to": value], ["m.relates_to": ["rel_type": "m.reference", "event_id": value]],
                    ["transaction_id": "t", "mac": value, "keys": value, "key": value],
                ] {
                    for place: VerificationMessage.Place in [.toDevice, .room("!r", event: "$e", time: mail.now)] {
                        bot.desk.received(
                            VerificationMessage(
                                type: "m.key.verification." + type, sender: "@alice:a", content: content,
                                place: place), now: mail.now)
                    }
                }
            }
        }
        bot.collect()
        #expect(bot.verified == nil)
    }
}
