import JSON
import Testing

@testable import MatrixCrypto

@Suite struct VerificationTests {
    private let book = AddressBook()
    private let alice: Person
    private let bot: Person
    private let mail: Mail

    init() {
        alice = Person("@alice:a", "PHONE", in: book)
        bot = Person("@bot:b", "GIFBOT", in: book)
        mail = Mail(alice, bot)
    }

    private func compare(_ one: Person, _ other: Person) throws {
        let (a, b) = (try #require(one.shown), try #require(other.shown))
        #expect(a.string == b.string && a.string.emoji.count == 7 && a.string.decimals.count == 3)
        one.desk.answer(a.id, isSame: true)
        mail.deliver()
        #expect(one.verified == nil && other.verified == nil)
        other.desk.answer(b.id, isSame: true)
        mail.deliver()
    }

    private func expectTrust() {
        #expect(
            alice.verified == VerifiedKeys(device: "GIFBOT", isDeviceVerified: true, masterKey: bot.master))
        #expect(bot.verified == VerifiedKeys(device: "PHONE", isDeviceVerified: true, masterKey: alice.master))
        #expect(alice.end == nil && bot.end == nil)
    }

    @Test func sheAsksFromDeviceToDevice() throws {
        _ = alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
        mail.deliver()
        let id = try #require(bot.asked)
        #expect(mail.types == ["request"])
        bot.desk.accept(id)
        mail.deliver()
        // Hers is passed over: the bot's name is the greater, so that her start would count; she has none out yet.
        #expect(mail.types.first == "request" && mail.types[1] == "ready")
        try compare(alice, bot)
        expectTrust()
        #expect(mail.types.suffix(4) == ["mac", "mac", "done", "done"])
        #expect(alice.desk.nextDeadline == nil && bot.desk.nextDeadline == nil)
    }

    @Test func theBotAsksFromDeviceToDevice() throws {
        _ = bot.desk.ask("@alice:a", devices: ["PHONE"], now: mail.now)
        mail.deliver()
        alice.desk.accept(try #require(alice.asked))
        mail.deliver()
        try compare(bot, alice)
        expectTrust()
    }

    @Test func sheAsksInARoom() throws {
        _ = mail.request(alice, to: bot, in: "!room")
        mail.deliver()
        bot.desk.accept(try #require(bot.asked))
        mail.deliver()
        #expect(bot.shown?.id == VerificationID(room: "!room", user: "@alice:a", transaction: "$request"))
        try compare(alice, bot)
        expectTrust()
    }

    @Test func theBotAsksInARoom() throws {
        _ = mail.request(bot, to: alice, in: "!room")
        mail.deliver()
        alice.desk.accept(try #require(alice.asked))
        mail.deliver()
        try compare(bot, alice)
        expectTrust()
    }

    /// Clients that know no requests, and no end either.
    @Test func aStartWithoutARequest() throws {
        let start = try #require(
            JSONValue.object(SASOffer.start(from: "PHONE")).object.map {
                VerificationID(room: nil, user: "@alice:a", transaction: "old").naming($0)
            })
        bot.desk.received(
            VerificationMessage(
                type: "m.key.verification.start", sender: "@alice:a", content: .object(start), place: .toDevice),
            now: mail.now)
        bot.collect()
        let id = try #require(bot.asked)
        bot.desk.accept(id)
        bot.collect()
        guard case .toDevice("m.key.verification.accept", let accept, _) = bot.sent.last else {
            Issue.record("no accept")
            return
        }
        let sas = try bot.desk.driver.makeShortAuthentication()
        bot.desk.received(
            VerificationMessage(
                type: "m.key.verification.key", sender: "@alice:a",
                content: ["transaction_id": "old", "key": .string(sas.publicKey)], place: .toDevice), now: mail.now)
        bot.collect()
        guard case .toDevice("m.key.verification.key", let key, _) = bot.sent.last else {
            Issue.record("no key")
            return
        }
        let theirs = try #require(key["key"]?.string)
        #expect(
            accept["commitment"]?.string
                == SASOffer.commitment(key: theirs, start: .object(start), sha256: bot.desk.sha256))
        try sas.setTheirKey(theirs)
        let codes = SASCodes(own: alice.name, their: bot.name, transaction: "old", sas: sas)
        var mac = try codes.content(of: alice.desk.ownKeys)
        mac["transaction_id"] = "old"
        bot.desk.received(
            VerificationMessage(
                type: "m.key.verification.mac", sender: "@alice:a", content: .object(mac), place: .toDevice),
            now: mail.now)
        bot.desk.answer(id, isSame: true)
        bot.collect()
        #expect(bot.verified?.isDeviceVerified == true)
    }

    @Test(arguments: [true, false]) func bothBeginAtOnce(_ isInRoom: Bool) throws {
        if isInRoom {
            _ = mail.request(alice, to: bot, in: "!room")
        } else {
            _ = alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
        }
        mail.deliver()
        // `ready` begins on both sides: on ours right away, on hers when it comes.
        bot.desk.accept(try #require(bot.asked))
        mail.deliver()
        #expect(mail.types.count { $0 == "start" } == 2)
        try compare(alice, bot)
        expectTrust()
    }

    @Test func onOfTwoDevicesTakesIt() throws {
        let tablet = Person("@alice:a", "TABLET", in: book, hasMaster: false)
        let mail = Mail(alice, tablet, bot)
        _ = bot.desk.ask("@alice:a", devices: ["PHONE", "TABLET"], now: mail.now)
        mail.deliver()
        #expect(alice.asked == tablet.asked && alice.asked != nil)
        tablet.desk.accept(try #require(tablet.asked))
        mail.deliver()
        #expect(alice.end?.code == "m.accepted" && alice.end?.isByThem == true)
        let (a, b) = (try #require(tablet.shown), try #require(bot.shown))
        #expect(a.string == b.string)
        bot.desk.answer(b.id, isSame: true)
        tablet.desk.answer(a.id, isSame: true)
        mail.deliver()
        #expect(bot.verified?.device == "TABLET" && bot.verified?.masterKey == alice.master)
    }

    @Test func anotherDeviceOfOursTakesWhatCameInARoom() throws {
        let second = Person("@bot:b", "SECOND", in: book, hasMaster: false)
        let mail = Mail(alice, bot, second)
        _ = mail.request(alice, to: bot, in: "!room")
        mail.deliver()
        second.desk.accept(try #require(second.asked))
        mail.deliver()
        #expect(bot.end?.code == "m.accepted" && alice.shown != nil && second.shown?.string == alice.shown?.string)
    }

    @Test func onesOwnOtherDevice() throws {
        let window = Person("@bot:b", "AWINDOW", in: book, hasMaster: false)
        let mail = Mail(window, bot)
        _ = window.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now)
        mail.deliver()
        bot.desk.accept(try #require(bot.asked))
        mail.deliver()
        let (a, b) = (try #require(window.shown), try #require(bot.shown))
        #expect(a.string == b.string)
        window.desk.answer(a.id, isSame: true)
        bot.desk.answer(b.id, isSame: true)
        mail.deliver()
        #expect(bot.verified?.device == "AWINDOW" && window.verified?.masterKey == bot.master)
    }

    // MARK: Ends

    private func meet() throws -> VerificationID {
        let id = try #require(alice.desk.ask("@bot:b", devices: ["GIFBOT"], now: mail.now))
        mail.deliver()
        if let asked = bot.asked { bot.desk.accept(asked) }
        mail.deliver()
        return id
    }

    @Test func stringsThatDifferEndIt() throws {
        _ = try meet()
        let shown = try #require(bot.shown)
        bot.desk.answer(shown.id, isSame: false)
        mail.deliver()
        #expect(bot.end?.code == "m.mismatched_sas" && bot.end?.isByThem == false)
        #expect(alice.end?.code == "m.mismatched_sas" && alice.end?.isByThem == true)
        #expect(alice.verified == nil && bot.verified == nil)
    }

    @Test func aKeyThatWasNotPromised() throws {
        mail.change = { type, content in
            guard type == "m.key.verification.accept", var changed = content.object else { return content }
            changed["commitment"] = .string(Base64.encode([UInt8](repeating: 1, count: 32)))
            return .object(changed)
        }
        _ = try meet()
        let codes = [alice.end?.code, bot.end?.code]
        #expect(codes.contains("m.mismatched_commitment"))
    }

    @Test func aKeyInTheMiddleMakesOtherStrings() throws {
        // Whoever sits between can't change the first key without the strings telling.
        let stranger = try bot.desk.driver.makeShortAuthentication()
        var isChanged = false
        mail.change = { type, content in
            guard type == "m.key.verification.key", !isChanged, var changed = content.object else { return content }
            isChanged = true
            changed["key"] = .string(stranger.publicKey)
            return .object(changed)
        }
        _ = try meet()
        let (a, b) = (try #require(alice.shown), try #require(bot.shown))
        #expect(a.string != b.string)
    }

    @Test func ourOwnKeySentBack() throws {
        var first: JSONValue?
        mail.change = { type, content in
            guard type == "m.key.verification.key", var changed = content.object else { return content }
            if first == nil { first = changed["key"] }
            changed["key"] = first
            return .object(changed)
        }
        _ = try meet()
        let codes = [alice.end?.code, bot.end?.code]
        #expect(codes.contains("m.mismatched_commitment") || codes.contains("m.invalid_message"))
    }

    @Test(arguments: ["device", "master", "list", "none", "extra"]) func codesThatDoNotFit(_ fault: String) throws {
        mail.change = { type, content in
            guard type == "m.key.verification.mac", var changed = content.object,
                var codes = changed["mac"]?.object
            else { return content }
            let wrong = JSONValue.string(Base64.encode([UInt8](repeating: 1, count: 32)))
            for key in codes.members.map(\.key) where key.hasSuffix("GIFBOT") || key.hasSuffix("PHONE") {
                if fault == "device" { codes[key] = wrong }
            }
            for key in codes.members.map(\.key) where !key.hasSuffix("GIFBOT") && !key.hasSuffix("PHONE") {
                if fault == "master" { codes[key] = wrong }
            }
            if fault == "list" { changed["keys"] = wrong }
            if fault == "none" { codes = [:] }
            if fault == "extra" { codes["ed25519:NEW"] = wrong }
            changed["mac"] = .object(codes)
            return .object(changed)
        }
        _ = try meet()
        let (a, b) = (try #require(alice.shown), try #require(bot.shown))
        alice.desk.answer(a.id, isSame: true)
        bot.desk.answer(b.id, isSame: true)
        mail.deliver()
        let ends = [alice.end?.code, bot.end?.code]
        #expect(ends.contains("m.key_mismatch"))
        #expect(alice.verified == nil && bot.verified == nil)
    }

    @Test func keysThatAreNotKnownHereProveNothing() throws {
        book.users["@alice:a"] = nil
        _ = try meet()
        let (a, b) = (try #require(alice.shown), try #require(bot.shown))
        alice.desk.answer(a.id, isSame: true)
        bot.desk.answer(b.id, isSame: true)
        mail.deliver()
        #expect(bot.end?.code == "m.key_mismatch" && bot.verified == nil)
    }

    @Test func tenMinutesAreEnough() throws {
        _ = try meet()
        let deadline = try #require(bot.desk.nextDeadline)
        #expect(deadline == mail.now + 600_000)
        bot.desk.timeReached(deadline - 1)
        bot.collect()
        #expect(bot.end == nil)
        bot.desk.timeReached(deadline)
        mail.deliver()
        #expect(bot.end?.code == "m.timeout" && alice.end?.code == "m.timeout" && bot.desk.nextDeadline == nil)
    }

    @Test(
        arguments: [
            ("start", ["method": "m.reciprocate.v1"], "m.unexpected_message"),
            ("start", ["key_agreement_protocols": ["curve25519"]], "m.unknown_method"),
            ("start", ["hashes": ["md5"]], "m.unknown_method"),
            ("start", ["message_authentication_codes": ["hkdf-hmac-sha256"]], "m.unknown_method"),
            ("start", ["short_authentication_string": []], "m.unknown_method"),
            ("accept", ["key_agreement_protocol": "curve25519"], "m.unknown_method"),
            ("accept", ["message_authentication_code": "hmac-sha256"], "m.unknown_method"),
            ("accept", ["hash": 7], "m.unknown_method"),
            ("accept", ["short_authentication_string": ["words"]], "m.unknown_method"),
            ("accept", ["commitment": 7], "m.invalid_message"),
            ("ready", ["methods": ["m.qr_code.show.v1"]], "m.unknown_method"),
            ("ready", ["from_device": 7], "m.invalid_message"),
            ("key", ["key": "AAAA"], "m.mismatched_commitment"),
            ("key", ["key": "not base64"], "m.invalid_message"),
            ("start", ["from_device": "OTHER"], "m.user_mismatch"),
        ] as [(String, JSONObject, String)])
    func whatDoesNotFitEndsIt(_ type: String, _ fault: JSONObject, _ code: String) throws {
        mail.change = { sent, content in
            guard sent == "m.key.verification." + type, var changed = content.object else { return content }
            for member in fault.members { changed[member.key] = member.value }
            return .object(changed)
        }
        _ = try meet()
        let codes = [alice.end?.code, bot.end?.code].compactMap(\.self)
        #expect(codes.contains(code) || (type == "key" && codes.contains("m.invalid_message")), "\(codes)")
    }

    @Test(arguments: ["ready", "accept", "mac", "done", "words"]) func whatComesOutOfTurnEndsIt(_ type: String) throws {
        let id = try meet()
        // Both compare; none of these belongs here, but for codes, which may come early once.
        let content = JSONValue.object(id.naming(["mac": [:], "keys": "AAAA"]))
        let message = VerificationMessage(
            type: "m.key.verification." + type, sender: "@alice:a", content: content, place: .toDevice)
        bot.desk.received(message, now: mail.now)
        bot.desk.received(message, now: mail.now)
        mail.deliver()
        #expect(bot.end?.code == "m.unexpected_message")
    }

    @Test func afterAnEndThereIsQuiet() throws {
        let id = try meet()
        bot.desk.cancel(try #require(bot.shown).id)
        mail.deliver()
        #expect(alice.end?.code == "m.user")
        let count = mail.types.count
        for type in ["mac", "key", "done", "cancel", "start", "request"] {
            bot.desk.received(
                VerificationMessage(
                    type: "m.key.verification." + type, sender: "@alice:a", content: .object(id.naming([:])),
                    place: .toDevice), now: mail.now)
        }
        mail.deliver()
        #expect(mail.types.count == count)
    }

    @Test func anUnknownOneIsToldSoOnce() throws {
        let id = VerificationID(room: nil, user: "@alice:a", transaction: "who knows")
        for type in ["cancel", "done", "key", "key"] {
            bot.desk.received(
                VerificationMessage(
                    type: "m.key.verification." + type, sender: "@alice:a", content: .object(id.naming([:])),
                    place: .toDevice), now: mail.now)
        }
        bot.collect()
        #expect(bot.sent.count == 1)
        guard case .toDevice("m.key.verification.cancel", let content, let devices) = bot.sent.first else { return }
        #expect(content["code"] == "m.unknown_transaction" && devices == [DeviceName(user: "@alice:a", device: "*")])
    }

    @Test func aStrangerInTheRoomChangesNothing() throws {
        let mallory = Person("@mallory:m", "EVIL", in: book)
        let mail = Mail(alice, bot, mallory)
        _ = mail.request(alice, to: bot, in: "!room")
        mail.deliver()
        for type in ["cancel", "ready", "start", "mac"] {
            for person in [alice, bot] {
                person.desk.received(
                    VerificationMessage(
                        type: "m.key.verification." + type, sender: "@mallory:m",
                        content: ["m.relates_to": ["rel_type": "m.reference", "event_id": "$request"]],
                        place: .room("!room", event: "$x", time: mail.now)), now: mail.now)
            }
        }
        bot.desk.accept(try #require(bot.asked))
        mail.deliver()
        #expect(bot.shown?.string == alice.shown?.string && bot.shown != nil && bot.end == nil)
    }
}
