import JSON
import Libolm
@testable import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

let room = "!room:example.test"
let hour: Int64 = 3_600_000

func libolm() -> LibolmDriver { LibolmDriver(random: randomBytes) }

/// A device whose machine is under test, on a server that the test has.
final class Phone {
    let user: String
    let id: String
    let server: StandInServer
    let store: MemoryKeyStore
    private(set) var machine: OlmMachine
    private let trust: DeviceTrust
    /// Milliseconds since 1970.
    var now: Int64 = 1_800_000_000_000
    /// What all syncs and answers brought.
    var events: [CryptoEvent] = []
    /// Calls that were made.
    var calls: [CryptoRequest.Call] = []

    static let pickleKey = [UInt8](repeating: 7, count: 32)

    init(
        _ user: String, _ id: String, on server: StandInServer, store: MemoryKeyStore = MemoryKeyStore(),
        trust: DeviceTrust = .crossSignedOrWithout
    ) throws {
        self.user = user
        self.id = id
        self.server = server
        self.store = store
        self.trust = trust
        if server.devices[user]?[id] == nil { server.logIn(user, id) }
        machine = try Self.machine(user, id, store, trust)
    }

    private static func machine(_ user: String, _ id: String, _ store: MemoryKeyStore, _ trust: DeviceTrust) throws
        -> OlmMachine
    {
        try OlmMachine(
            userID: user, deviceID: id, driver: libolm(), store: store, pickleKey: pickleKey, trust: trust,
            random: randomBytes)
    }

    /// The program was killed: what is not in the store is gone.
    func restart() throws {
        machine = try Self.machine(user, id, store, trust)
    }

    var name: DeviceName { DeviceName(user: user, device: id) }

    /// Makes calls until none is due.
    func drain() throws {
        while true {
            let requests = try machine.requests(now: now)
            guard !requests.isEmpty else { return }
            for request in requests { try make(request) }
        }
    }

    func make(_ request: CryptoRequest) throws {
        calls.append(request.call)
        do throws(StandInServer.Refusal) {
            let body = try server.answer(request.call, from: user, id)
            finish(Result { try machine.answered(request.id, body, now: now) })
        } catch {
            try machine.failed(request.id, error.failure, now: now)
        }
    }

    private func finish(_ result: Result<[CryptoEvent], any Error>) {
        switch result {
        case .success(let new): events += new
        case .failure(let error): Issue.record(error)
        }
    }

    /// One sync and the calls that follow from it.
    @discardableResult
    func sync() throws -> [CryptoEvent] {
        let before = events.count
        events += try machine.received(server.sync(user, id), now: now)
        try drain()
        return Array(events[before...])
    }

    /// Has its keys uploaded.
    func start() throws -> Self {
        try drain()
        try sync()
        return self
    }

    func audience(_ joined: [String], invited: [String] = [], visibility: String = "shared", in name: String = room)
        -> RoomAudience
    {
        RoomAudience(room: name, joined: joined, invited: invited, historyVisibility: visibility)
    }

    /// Gets ready and encrypts a text.
    func write(_ text: String, to joined: [String], in name: String = room) throws -> JSONValue {
        try ready(audience(joined, in: name))
        return try machine.encrypt(
            type: "m.room.message", content: ["msgtype": "m.text", "body": .string(text)], in: name, now: now)
    }

    func ready(_ audience: RoomAudience) throws {
        var rounds = 0
        while try machine.prepare(audience, now: now) == .waiting {
            try drain()
            rounds += 1
            try #require(rounds < 10)
        }
        // What need not arrive before the message.
        try drain()
    }

    func read(_ content: JSONValue, from sender: String, event: String, in name: String = room) throws -> Decryption {
        try machine.decrypt(EncryptedEvent(id: event, sender: sender, content: content), in: name, now: now)
    }

    /// Reads a text, with a second try when devices had to be asked for.
    func text(_ content: JSONValue, from sender: String, event: String, in name: String = room) throws -> String? {
        var result = try read(content, from: sender, event: event, in: name)
        if case .missingKey = result {
            try drain()
            result = try read(content, from: sender, event: event, in: name)
        }
        guard case .clear(_, let content) = result else { return nil }
        return content["body"]?.string
    }

    var roomKeys: Int { events.filter { if case .roomKey = $0 { true } else { false } }.count }
    var discarded: [String] {
        events.compactMap { if case .discarded(_, _, let reason) = $0 { reason } else { nil } }
    }
    /// Contents of the to-device events of a type that were sent.
    func sent(_ type: String) -> [JSONValue] {
        calls.compactMap { if case .toDevice(type, _, let messages) = $0 { messages } else { nil } }
    }
}

/// A person's cross-signing keys, made and signed with by the test.
struct CrossSigned {
    let user: String
    let master: any SigningKey
    let own: any SigningKey

    init(_ user: String, on server: StandInServer) throws {
        self.user = user
        master = try libolm().signingKey(seed: randomBytes(32))
        own = try libolm().signingKey(seed: randomBytes(32))
        server.masters[user] = .object(Self.object(user, "master", master.publicKey))
        server.selfSigning[user] = .object(
            try Self.signed(Self.object(user, "self_signing", own.publicKey), user, by: master))
        server.changed(user)
    }

    private static func object(_ user: String, _ usage: String, _ key: String) -> JSONObject {
        [
            "user_id": .string(user), "usage": [.string(usage)],
            "keys": .object(JSONObject([.init("ed25519:" + key, .string(key))])),
        ]
    }

    private static func signed(_ object: JSONObject, _ user: String, by key: any SigningKey) throws -> JSONObject {
        let signature = try key.sign(#require(SignedJSON.bytes(object)))
        return SignedJSON.adding(signature, by: user, keyID: "ed25519:" + key.publicKey, to: object)
    }

    /// Signs a device that has uploaded its keys.
    func sign(_ device: String, on server: StandInServer) throws {
        let keys = try #require(server.devices[user]?[device]?.keys)
        server.devices[user]?[device]?.keys = try Self.signed(keys, user, by: own)
        server.changed(user)
    }
}
