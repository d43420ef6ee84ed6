import JSON
@testable import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

/// What people with whom no room is shared, and their made up devices, can't take from others.
@Suite struct StrangerTests {
    let server = StandInServer()
    let bot: Phone
    let mallory: Forger

    init() throws {
        bot = try Phone("@bot:example.test", "BOT", on: server).start()
        mallory = try Forger("@mallory:example.test", "M", on: server)
        bot.machine.tracker.follow([mallory.user])
        try bot.drain()
    }

    /// A device that claims another's Curve25519 key, with or without one-time keys: its sessions are its own.
    @Test(arguments: [0, 5]) func aDeviceWithAnothersKeyTakesNothingFromThem(_ oneTimeKeys: Int) throws {
        let ada = try Phone("@ada:example.test", "A", on: server).start()
        let people = [bot.user, ada.user]
        _ = try bot.write("zero", to: people)
        let key = ada.machine.identityKeys.curve25519
        let thief = try Forger("@thief:example.test", "T", on: server)
        server.devices[thief.user]?["T"]?.keys = try thief.deviceKeys(curve25519: key)
        try thief.publish(oneTimeKeys)
        bot.machine.tracker.follow([thief.user])
        try bot.drain()
        let complaint: JSONValue = ["code": "m.no_olm", "sender_key": .string(key)]
        for _ in 0..<8 {
            thief.deliver(complaint, as: "m.room_key.withheld", to: bot)
            try bot.sync()
            bot.now += hour
        }
        #expect(bot.calls.contains { if case .claimKeys(let ids) = $0 { ids[thief.user] == ["T"] } else { false } })
        try bot.machine.forgetOutboundSession(in: room)
        let content = try bot.write("one", to: people)
        try ada.sync()
        #expect(try ada.text(content, from: bot.user, event: "$1") == "one")
    }

    @Test func strangersAreNotAskedFor() throws {
        let key = Base64.encode(randomBytes(32))
        let part: JSONValue = ["type": 1, "body": "AAAA"]
        let content: JSONValue = [
            "algorithm": "m.olm.v1.curve25519-aes-sha2", "sender_key": .string(key),
            "ciphertext": .object(JSONObject([.init(bot.machine.identityKeys.curve25519, part)])),
        ]
        try bot.sync()
        bot.calls = []
        for number in 0..<1_000 { mallory.deliver(content, from: "@s\(number):example.test", to: bot) }
        try bot.sync()
        #expect(bot.calls.isEmpty && bot.store.content.users["@s1:example.test"] == nil)
    }

    @Test func keysOfStrangersForKnownRoomsAreFew() throws {
        try bot.machine.noteEncryption(of: room, .standard)
        let (session, content) = try mallory.group()
        mallory.deliver(try mallory.seal(mallory.envelope("m.room_key", content, to: bot), to: bot), to: bot)
        let stranger = try Forger("@stranger:example.test", "S", on: server)
        for _ in 0..<EarlyKeys.limit + 20 {
            let made = try stranger.group().content
            stranger.deliver(try stranger.seal(stranger.envelope("m.room_key", made, to: bot), to: bot), to: bot)
        }
        try bot.sync()
        #expect(bot.store.content.inbound.count == EarlyKeys.limit + 1)
        // The last of them writes in the room: its key stays.
        let (theirs, key) = try stranger.group()
        stranger.deliver(try stranger.seal(stranger.envelope("m.room_key", key, to: bot), to: bot), to: bot)
        try bot.sync()
        let event = try Forger.event(theirs, Forger.text("hello"))
        #expect(try bot.text(event, from: stranger.user, event: "$1") == "hello")
        let own = try Forger.event(session, Forger.text("mine"))
        #expect(try bot.text(own, from: mallory.user, event: "$2") == "mine")
    }
}
