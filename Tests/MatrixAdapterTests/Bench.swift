import Base
import Chat
import HTTP
import JSON
import Matrix
import TestSupport

@testable import MatrixAdapter

let bot = "@gifbot:example.test"
let ada = "@ada:example.test"
let room1 = "!r1:example.test"
let token = "s3cret/t0ken"

/// An adapter with everything around it in hand.
@Loop final class Bench {
    let clock = ManualClock()
    let server = FakeHomeserver()
    let store: MemoryStore
    let lines = RecordingLog()
    let bot = RecordingBot()
    let adapter: MatrixAdapter

    init(
        _ settings: MatrixAccountSettings = tokenSettings(), position: String? = nil, session: StoredSession? = nil,
        admins: [String] = [ada], ignore: [String] = [], answered: [String] = [], store kept: MemoryStore? = nil,
        crypto: (any CryptoSource)? = nil
    ) {
        store = kept ?? MemoryStore(position: position, session: session, answered: answered)
        adapter = MatrixAdapter(
            settings: settings, admins: admins, ignore: ignore, ageLimit: .minutes(2), http: server, clock: clock,
            store: store, log: Log("matrix", to: lines), handler: bot, crypto: crypto, random: { 0.5 })
    }

    /// Started, signed in, and past a first sync that shows `room1`.
    static func running(_ settings: MatrixAccountSettings = tokenSettings(), ignore: [String] = []) async -> Bench {
        let bench = Bench(settings, ignore: ignore)
        bench.adapter.start()
        await bench.settle()
        await bench.sync()
        await bench.advance(by: .minutes(10))
        return bench
    }

    /// Lets every task on the loop run until it waits for something.
    func settle() async {
        for _ in 0..<60 { await Task.yield() }
    }

    /// For what other threads have a part in, as keys do. False when it didn't come to it in time.
    func until(_ isSo: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while !isSo() {
            guard ContinuousClock.now < deadline else { return false }
            await Task.yield()
        }
        return true
    }

    func advance(by duration: Duration) async {
        clock.advance(by: duration)
        await settle()
    }

    private var syncs = 0

    /// Tells a batch with one room in it.
    func sync(
        _ timeline: [JSONValue] = [], state: [JSONValue] = [created], room: String = room1, people: Int64? = 5
    ) async {
        var joined: JSONObject = ["state": ["events": .array(state)], "timeline": ["events": .array(timeline)]]
        if let people { joined["summary"] = ["m.joined_member_count": .integer(people)] }
        await sync(rooms: ["join": .object(JSONObject([JSONObject.Member(room, .object(joined))]))])
    }

    func sync(rooms: JSONValue) async {
        syncs += 1
        server.sync(.ok(["next_batch": .string("s\(syncs)"), "rooms": rooms]))
        await settle()
    }

    /// Says it, and that nothing more follows.
    func answer(_ text: String, to index: Int? = nil, url: String? = nil, kind: Reply.Kind = .answer) -> SendOutcome {
        let message = bot.messages[index ?? bot.messages.count - 1]
        defer { adapter.finished(message) }
        return adapter.send(Reply(kind: kind, audience: .conversation, text: text, url: url), to: message)
    }
}

func tokenSettings(_ change: (inout MatrixAccountSettings) -> Void = { _ in }) -> MatrixAccountSettings {
    var settings = MatrixAccountSettings(
        name: "home", homeserver: "https://matrix.example.test", user: bot, signIn: .accessToken(Secret(token)))
    change(&settings)
    return settings
}

func passwordSettings() -> MatrixAccountSettings {
    MatrixAccountSettings(
        name: "home", homeserver: "https://matrix.example.test", user: bot, signIn: .password(Secret("pa55")))
}

let created = event("m.room.create", ["room_version": "10"], id: "$create", key: "")

func event(
    _ type: String, _ content: JSONValue, id: String = "$e", from sender: String = ada, key: String? = nil,
    age: Int64? = 100, time: Int64 = 1_800_000_000_000
) -> JSONValue {
    var object: JSONObject = [
        "type": .string(type), "content": content, "event_id": .string(id), "sender": .string(sender),
        "origin_server_ts": .integer(time),
    ]
    if let key { object["state_key"] = .string(key) }
    if let age { object["unsigned"] = ["age": .integer(age)] }
    return .object(object)
}

func text(
    _ body: String, id: String, from sender: String = ada, more: JSONObject = [:], age: Int64? = 100,
    time: Int64 = 1_800_000_000_000
) -> JSONValue {
    var content: JSONObject = ["msgtype": "m.text", "body": .string(body)]
    for member in more.members { content[member.key] = member.value }
    return event("m.room.message", .object(content), id: id, from: sender, age: age, time: time)
}

/// Takes what has "gif" in it for a command.
@Loop final class RecordingBot: ChatHandler {
    private(set) var changes: [ChatChange] = []
    private(set) var messages: [ChatMessage] = []
    /// What it says to every message at once, if anything.
    var answersAtOnce: String?
    /// The answer goes with its command.
    var takesBack = false
    private(set) var outcomes: [SendOutcome] = []

    nonisolated init() {}

    func changed(_ change: ChatChange, from adapter: any ChatAdapter) {
        changes.append(change)
        if takesBack, change.kind == .redacted { outcomes.append(adapter.retract(change.answer, for: change.message)) }
    }

    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {
        messages.append(message)
        guard message.text.contains("gif") else { return }
        adapter.began(message)
        guard let answersAtOnce else { return }
        defer { adapter.finished(message) }
        outcomes.append(
            adapter.send(Reply(kind: .answer, audience: .conversation, text: answersAtOnce, url: nil), to: message))
    }

    var texts: [String] { messages.map(\.text) }
}

@Loop final class MemoryStore: MatrixStore {
    private(set) var positions: [String: String] = [:]
    private(set) var sessions: [String: StoredSession] = [:]
    /// Everything that was saved, in order.
    private(set) var savedPositions: [String?] = []
    private(set) var answered: [String]
    var upgrades: [RoomUpgrade] = []

    nonisolated init(position: String?, session: StoredSession?, answered: [String]) {
        self.answered = answered
        if let position { positions[bot] = position }
        if let session { sessions[bot] = session }
    }

    func syncPosition(of account: String) -> String? { positions[account] }
    func save(syncPosition: String?, of account: String) {
        positions[account] = syncPosition
        savedPositions.append(syncPosition)
    }
    func wasAnswered(_ id: String, in network: String) -> Bool { answered.contains(id) }
    func record(answered id: String, in network: String, at time: WallTime) { answered.append(id) }
    func upgrades(of account: String) -> [RoomUpgrade] { upgrades }
    func save(_ upgrade: RoomUpgrade, of account: String) { upgrades.append(upgrade) }
    var storedAnswers: [StoredAnswer] = []
    func answers(of account: String) -> [StoredAnswer] { storedAnswers }
    func save(answer: StoredAnswer, of account: String) {
        forget(answer: answer.id, of: account)
        storedAnswers.append(answer)
    }
    func forget(answer: String, of account: String) { storedAnswers.removeAll { $0.id == answer } }
    var storedDirectChats: [String: String] = [:]
    func directChats(of account: String) -> [String: String] { storedDirectChats }
    private(set) var directChatSaves = 0
    func save(directChat room: String?, with user: String, of account: String) {
        directChatSaves += 1
        storedDirectChats[user] = room
    }
    var encryptedRooms: Set<String> = []
    func encryptedRooms(of account: String) -> Set<String> { encryptedRooms }
    func save(encryptedRoom room: String, of account: String) { encryptedRooms.insert(room) }
    private(set) var uploads: [String: StoredUpload] = [:]
    func upload(of gif: String, by account: String) -> StoredUpload? { uploads[gif] }
    func save(upload: StoredUpload, of gif: String, by account: String) { uploads[gif] = upload }
    func written() async -> Bool { true }
    func session(of account: String) -> StoredSession? { sessions[account] }
    func save(session: StoredSession?, of account: String) { sessions[account] = session }
}
