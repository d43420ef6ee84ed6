import JSON
@testable import MatrixCrypto
import TestSupport
import Testing

/// Our machine among people whose cryptography is another implementation's, on a server where things get lost. It knows who
/// should be able to read what, and compares.
final class World {
    let server = StandInServer()
    let people: VodozemacPeople
    let bot: Phone
    var dice: Dice
    var rooms: [String: Set<String>] = [:]
    /// Of each person, devices that are logged in.
    var living: [String: Set<String>] = [:]
    /// Of every device there ever was.
    var owner: [String: String] = [:]
    var signers: [String: CrossSigned] = [:]
    var signed: Set<String> = []
    private var devices = 0
    private var texts = 0
    let botUser = "@bot:example.test"

    // What our machine writes.
    /// Session and device of keys that got lost, or that the device couldn't open.
    private var excused: Set<String> = []
    private var sharing: String?
    var written = 0

    // What it reads.
    struct Letter {
        let room: String
        let sender: String
        let device: String
        let content: JSONValue
        let session: String
        let index: Int64
        let text: String
        let event: String
    }
    var pool: [Letter] = []
    /// The index from which on the machine was given the key, by session.
    private var keys: [String: Int64] = [:]
    private var delayed: [(event: ToDeviceEvent, session: String, index: Int64)] = []
    private var readSessions: Set<String> = []
    var tally = Tally()

    struct Tally: Equatable {
        var sent = 0
        var readByPeople = 0
        var excusedPeople = 0
        var received = 0
        var readByMachine = 0
        var unreadable = 0
        var untrusted = 0
        var gone = 0
        var lostMessages = 0
        var lostKeys = 0
        var hostile = 0
        var kills = 0
        var deviceChanges = 0
    }

    init(seed: UInt64) throws {
        dice = Dice(seed)
        people = try VodozemacPeople()
        bot = try Phone(botUser, "BOT", on: server)
        for (user, isSigner) in [
            ("@ada:a.test", false), ("@bo:b.test", true), ("@cy:c.test", true), ("@di:a.test", false),
        ] {
            living[user] = []
            if isSigner { signers[user] = try CrossSigned(user, on: server) }
            try logIn(user)
            try logIn(user)
        }
        rooms = [
            "!one:a.test": ["@ada:a.test", "@bo:b.test"], "!two:b.test": ["@bo:b.test", "@cy:c.test", "@di:a.test"],
        ]
        _ = try bot.start()
        try bot.machine.noteEncryption(of: "!one:a.test", RoomEncryption(rotationMessages: 7, rotationPeriod: hour))
        try bot.machine.noteEncryption(of: "!two:b.test", .standard)
        server.lets = { [unowned self] user, device, event in lets(user, device, event) }
    }

    func isTrusted(_ device: String) -> Bool {
        guard let user = owner[device] else { return false }
        return signers[user] == nil || signed.contains(device)
    }

    // MARK: Changes

    func logIn(_ user: String) throws {
        devices += 1
        let id = "D\(devices)"
        let made = try people.take("device", .string(user), .string(id))
        server.logIn(user, id)
        server.devices[user]?[id]?.keys = made["device_keys"]?.object
        for key in made["one_time_keys"]?.object?.members ?? [] {
            server.devices[user]?[id]?.oneTime.append((key.key, key.value))
        }
        let fallback = try #require(made["fallback_keys"]?.object?.members.first)
        server.devices[user]?[id]?.fallback = (fallback.key, fallback.value)
        owner[id] = user
        living[user, default: []].insert(id)
        if let signer = signers[user], living[user]?.count == 1 || dice.percent(60) {
            try signer.sign(id, on: server)
            signed.insert(id)
        }
        server.changed(user)
    }

    func logOut(_ user: String) {
        guard let all = living[user], all.count > 1, let id = dice.one(of: all.sorted()) else { return }
        living[user]?.remove(id)
        server.logOut(user, id)
    }

    func restartBot() throws {
        tally.kills += 1
        try bot.restart()
    }

    // MARK: Ours to them

    private func lets(_ user: String, _ device: String, _ event: ToDeviceEvent) -> Bool {
        guard user != botUser, event.type == "m.room.encrypted", let sharing, dice.percent(2) else { return true }
        tally.lostKeys += 1
        excused.insert(sharing + device)
        return false
    }

    /// Calls until none is due; some of them are cut off by the program's end.
    private func drain(in room: String?) throws {
        while true {
            let requests = try bot.machine.requests(now: bot.now)
            guard !requests.isEmpty else { return }
            sharing = room.flatMap { bot.store.content.outbound[$0]?.id }
            defer { sharing = nil }
            for request in requests {
                if dice.percent(1) {
                    if dice.percent(50) { _ = try? server.answer(request.call, from: bot.user, bot.id) }
                    return try restartBot()
                }
                if dice.percent(2) {
                    try bot.machine.failed(request.id, .transient, now: bot.now)
                    bot.now += CallQueue.longestPause
                } else {
                    try bot.make(request)
                }
            }
            bot.calls.removeAll()
        }
    }

    func sync() throws {
        shuffle()
        bot.events += try bot.machine.received(server.sync(bot.user, bot.id), now: bot.now)
        bot.events.removeAll()
        try drain(in: nil)
    }

    func write(in room: String) throws {
        try sync()
        let members = try #require(rooms[room])
        let audience = bot.audience(members.sorted() + [botUser], in: room)
        var rounds = 0
        while try bot.machine.prepare(audience, now: bot.now) == .waiting {
            try drain(in: room)
            rounds += 1
            try #require(rounds < 100)
        }
        let text = newText()
        let content = try bot.machine.encrypt(
            type: "m.room.message", content: ["msgtype": "m.text", "body": .string(text)], in: room, now: bot.now)
        try drain(in: room)
        if dice.percent(3) { try restartBot() }
        try collect()
        tally.sent += 1
        try compare(content, text, in: room, members)
    }

    /// Hands people what came for their devices.
    private func collect() throws {
        for (user, ids) in living {
            for id in ids {
                guard let inbox = server.devices[user]?[id]?.inbox, !inbox.isEmpty else { continue }
                server.devices[user]?[id]?.inbox = []
                let events: [JSONValue] = inbox.map {
                    ["type": .string($0.type), "sender": .string($0.sender), "content": $0.content]
                }
                let answer = try people.take("receive", .string(id), .array(events))
                if let unread = answer["unread"]?.integer, unread > 0 {
                    // Its session was forgotten; whatever key it was, it doesn't have it.
                    for room in bot.store.content.outbound.values { excused.insert(room.id + id) }
                }
                if let left = server.devices[user]?[id]?.oneTime.count, left < 8 {
                    for key in try people.take("refill", .string(id), 12).object?.members ?? [] {
                        server.devices[user]?[id]?.oneTime.append((key.key, key.value))
                    }
                }
            }
        }
    }

    private func compare(_ content: JSONValue, _ text: String, in room: String, _ members: Set<String>) throws {
        let read = try people.take("read_all", .string(room), .string(botUser), content).object ?? JSONObject()
        let session = content["session_id"]?.string ?? ""
        let entitled = members.flatMap { living[$0] ?? [] }.filter { isTrusted($0) }
        for member in read.members {
            #expect(member.value.string == text)
            #expect(entitled.contains(member.key), "\(member.key) reads what it must not, in \(room)")
        }
        for id in entitled where read[id] == nil {
            tally.excusedPeople += 1
            #expect(excused.contains(session + id), "\(id) can't read what it should, in \(room)")
        }
        tally.readByPeople += read.members.count
    }

    private func newText() -> String {
        texts += 1
        return "text \(texts) ü \u{1F600}"
    }

    // MARK: Theirs to us

    func peerWrites(in room: String) throws {
        let members = try #require(rooms[room]).sorted()
        guard let user = dice.one(of: members),
            let id = dice.one(of: living[user, default: []].sorted())
        else { return }
        let ours = try #require(server.devices[botUser]?["BOT"]?.keys)
        let address: JSONValue = [
            "user": .string(botUser), "device": "BOT", "curve25519": .string(bot.machine.identityKeys.curve25519),
            "ed25519": .string(try #require(ours["keys"]?["ed25519:BOT"]?.string)),
        ]
        let key: JSONValue = .string(bot.machine.identityKeys.curve25519)
        if dice.percent(1) { _ = try people.take("forget_sessions", .string(id), key) }
        if try people.take("has_session", .string(id), key) != true {
            let claimed = try server.answer(.claimKeys([botUser: ["BOT"]]), from: user, id)
            let given = try #require(claimed["one_time_keys"]?[botUser]?["BOT"]?.object?.members.first?.value)
            _ = try people.take("begin_session", .string(id), address, given)
        }
        let text = newText()
        let made = try people.take(
            "write", .string(id), .string(room), .string(text), address, .bool(dice.percent(15)),
            .bool(!dice.percent(5)))
        let content = try #require(made["content"])
        let session = try #require(content["session_id"]?.string)
        let index = try #require(made["index"]?.integer)
        if let sealed = made["key"], !sealed.isNull {
            let event = ToDeviceEvent(type: "m.room.encrypted", sender: user, content: sealed)
            if dice.percent(5) {
                tally.lostKeys += 1
            } else {
                delayed.append((event, session, index))
            }
        }
        tally.received += 1
        guard !dice.percent(10) else {
            tally.lostMessages += 1
            return
        }
        pool.append(
            Letter(
                room: room, sender: user, device: id, content: content, session: session, index: index, text: text,
                event: "$\(texts)"))
    }

    /// Keys on their way arrive, most of them, in any order, some twice.
    private func shuffle(all: Bool = false) {
        var stay: [(event: ToDeviceEvent, session: String, index: Int64)] = []
        while !delayed.isEmpty {
            let next = delayed.remove(at: dice.below(delayed.count))
            if !all, dice.percent(20), stay.count < 10 {
                stay.append(next)
                continue
            }
            keys[next.session] = min(keys[next.session] ?? next.index, next.index)
            server.devices[botUser]?["BOT"]?.inbox.append(next.event)
            if dice.percent(5) { server.devices[botUser]?["BOT"]?.inbox.append(next.event) }
        }
        delayed = stay
    }

    func readSome(_ count: Int) throws {
        for _ in 0..<count {
            guard !pool.isEmpty else { return }
            let place = dice.below(pool.count)
            if try attempt(pool[place]) { pool.remove(at: place) }
        }
    }

    /// True when nothing more is to be learnt of it.
    private func attempt(_ letter: Letter) throws -> Bool {
        if dice.percent(10) { try attack(letter) }
        var result = try bot.read(letter.content, from: letter.sender, event: letter.event, in: letter.room)
        if case .missingKey = result {
            try drain(in: nil)
            result = try bot.read(letter.content, from: letter.sender, event: letter.event, in: letter.room)
        }
        let hasKey = keys[letter.session].map { $0 <= letter.index } ?? false
        let isTrusted = isTrusted(letter.device)
        switch result {
        case .clear(_, let content):
            #expect(content["body"]?.string == letter.text)
            #expect(hasKey && isTrusted, "read what it must not: \(letter.device) in \(letter.room)")
            tally.readByMachine += 1
            readSessions.insert(letter.session)
            let again = try bot.read(letter.content, from: letter.sender, event: letter.event, in: letter.room)
            #expect(again == result)
            let replay = try bot.read(letter.content, from: letter.sender, event: letter.event + "x", in: letter.room)
            #expect(replay == .refused("a repetition of another event"))
            return true
        case .missingKey: return false
        case .refused(let reason):
            let isGone =
                living[letter.sender]?.contains(letter.device) != true && !readSessions.contains(letter.session)
            if !isTrusted { tally.untrusted += 1 } else if isGone { tally.gone += 1 }
            #expect(!isTrusted || isGone, "refused: \(reason)")
            return true
        }
    }

    /// Somebody else's name, another room, a changed message: never read.
    private func attack(_ letter: Letter) throws {
        tally.hostile += 1
        let others = living.keys.filter { $0 != letter.sender }.sorted()
        let result: Decryption
        switch dice.below(3) {
        case 0: result = try bot.read(letter.content, from: others[0], event: "$evil", in: letter.room)
        case 1: result = try bot.read(letter.content, from: letter.sender, event: "$evil", in: "!evil:a.test")
        default:
            var content = try #require(letter.content.object)
            var bytes = Array(try #require(content["ciphertext"]?.string).utf8)
            let place = dice.below(bytes.count)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            content["ciphertext"] = .string(String(decoding: bytes, as: UTF8.self))
            result = try bot.read(.object(content), from: letter.sender, event: "$evil", in: letter.room)
        }
        if case .clear = result { Issue.record("a forged message was read") }
    }

    /// Everything has arrived that will: what wasn't read must not have been.
    func finish() throws {
        shuffle(all: true)
        try sync()
        for letter in pool where try !attempt(letter) {
            let hasKey = keys[letter.session].map { $0 <= letter.index } ?? false
            let isGone = living[letter.sender]?.contains(letter.device) != true
            #expect(!hasKey || isGone, "lost: \(letter.device) in \(letter.room)")
            if hasKey { tally.gone += 1 } else { tally.unreadable += 1 }
        }
        pool = []
    }

    func step() throws {
        bot.now += Int64(dice.below(5_000))
        let room = dice.one(of: rooms.keys.sorted())!
        switch dice.below(100) {
        case 0..<45: try write(in: room)
        case 45..<90: try peerWrites(in: room)
        case 90..<96:
            try sync()
            try readSome(20)
        default: try change(in: room)
        }
    }

    private func change(in room: String) throws {
        tally.deviceChanges += 1
        let user = dice.one(of: living.keys.sorted())!
        switch dice.below(8) {
        case 0, 1: if living[user]!.count < 4 { try logIn(user) }
        case 2, 3: logOut(user)
        case 4, 5: rooms[room]?.insert(user)
        case 6: if rooms[room]!.count > 1 { rooms[room]?.remove(user) }
        default: try bot.machine.forgetOutboundSession(in: room)
        }
    }
}
