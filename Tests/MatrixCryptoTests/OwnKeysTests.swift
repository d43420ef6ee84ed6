import JSON
@testable import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

@Suite struct OwnKeysTests {
    let server = StandInServer()

    private func uploads(_ phone: Phone) -> [JSONValue] {
        // One of nothing asks how many there are.
        phone.calls.compactMap { if case .uploadKeys(let body) = $0, body != [:] { body } else { nil } }
    }

    private var bot: StandInServer.Device? { server.devices["@bot:example.test"]?["BOT"] }

    @Test func deviceKeysAreSignedOverTheirCanonicalForm() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server).start()
        let keys = try #require(bot?.keys)
        #expect(keys["algorithms"] == ["m.olm.v1.curve25519-aes-sha2", "m.megolm.v1.aes-sha2"])
        let ed25519 = try #require(keys["keys"]?["ed25519:BOT"]?.string)
        #expect(ed25519 == phone.machine.identityKeys.ed25519 && !ed25519.contains("="))
        #expect(
            SignedJSON.isSigned(
                keys, by: "@bot:example.test", keyID: "ed25519:BOT", key: ed25519, driver: libolm()))
        #expect(bot?.oneTime.count == 50 && bot?.fallback?.key["fallback"] == true)
        for key in bot?.oneTime ?? [] {
            let object = try #require(key.key.object)
            #expect(
                SignedJSON.isSigned(
                    object, by: "@bot:example.test", keyID: "ed25519:BOT", key: ed25519, driver: libolm()))
        }
    }

    @Test func aFewClaimsCostNoUploadMoreDo() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server).start()
        try phone.sync()
        server.devices["@bot:example.test"]?["BOT"]?.oneTime.removeFirst(5)
        try phone.sync()
        #expect(uploads(phone).count == 1)
        server.devices["@bot:example.test"]?["BOT"]?.oneTime.removeFirst(1)
        try phone.sync()
        #expect(uploads(phone).count == 2 && bot?.oneTime.count == 50)
    }

    @Test func anAbsentCountIsZero() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server).start()
        try phone.sync()
        server.devices["@bot:example.test"]?["BOT"]?.oneTime.removeAll()
        try phone.sync()
        #expect(bot?.oneTime.count == 50)
    }

    @Test func aCountFromBeforeTheUploadCausesNone() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        try phone.drain()
        var stale = server.sync("@bot:example.test", "BOT")
        stale.oneTimeKeyCounts = [:]
        _ = try phone.machine.received(stale, now: phone.now)
        try phone.drain()
        #expect(uploads(phone).count == 1)
    }

    /// A start without a position (killed within a second) repeats syncs, and gets what they said before the upload.
    @Test("BUG-15: a count out of a cache makes no keys, however often it is told; those on the server stay good")
    func aCachedCountIsNone() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        let cached = server.sync("@bot:example.test", "BOT")
        for _ in 0..<4 {
            try phone.drain()
            for _ in 0..<2 {
                _ = try phone.machine.received(cached, now: phone.now)
                try phone.drain()
            }
            try phone.restart()
        }
        #expect(uploads(phone).count == 1 && bot?.oneTime.count == 50)
    }

    @Test func startingAgainUploadsNothing() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server).start()
        try phone.restart()
        phone.calls = []
        _ = try phone.start()
        #expect(uploads(phone).isEmpty && phone.machine.ownKeysStatus == .same)
    }

    /// Killed after the upload and before its answer: the same is uploaded again, and taken.
    @Test func anUploadWithoutAnswerIsRepeatedWordByWord() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        for _ in 0..<2 {
            let requests = try phone.machine.requests(now: phone.now)
            for request in requests {
                let body = try server.answer(request.call, from: phone.user, phone.id)
                if case .uploadKeys(let sent) = request.call {
                    phone.calls.append(.uploadKeys(sent))
                } else {
                    _ = try phone.machine.answered(request.id, body, now: phone.now)
                }
            }
        }
        try phone.restart()
        _ = try phone.start()
        #expect(uploads(phone).count == 2)
        #expect(uploads(phone).last?["one_time_keys"] == uploads(phone).first?["one_time_keys"])
        #expect(bot?.oneTime.count == 50)
    }

    /// facts/matrix.md 1.5: a store that is older than what the server has.
    @Test func alreadyExistingKeysAreNoLoop() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        let old = phone.store.content
        _ = try phone.start()
        let back = try Phone("@bot:example.test", "BOT", on: server, store: MemoryKeyStore(old))
        server.devices["@bot:example.test"]?["BOT"]?.oneTime.removeFirst(20)
        _ = try back.start()
        #expect(back.machine.ownKeysStatus == .same)
        #expect(uploads(back).count <= 3)
        #expect(bot?.oneTime.count == 50)
    }

    @Test func anotherStoreIsNoticedBeforeAnythingIsUploaded() throws {
        _ = try Phone("@bot:example.test", "BOT", on: server).start()
        let keys = bot?.keys
        let other = try Phone("@bot:example.test", "BOT", on: server)
        try other.drain()
        #expect(other.machine.ownKeysStatus == .other && uploads(other).isEmpty && bot?.keys == keys)
        #expect(throws: CryptoError.otherIdentity) { try other.sync() }
        #expect(throws: CryptoError.otherIdentity) {
            _ = try other.machine.prepare(other.audience(["@ada:example.test"]), now: other.now)
        }
        #expect(try other.machine.requests(now: other.now).isEmpty)
    }

    @Test func aStoreOfAnotherDeviceIsRefused() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        #expect(throws: CryptoError.otherIdentity) {
            _ = try Phone("@bot:example.test", "OTHER", on: server, store: phone.store)
        }
    }

    @Test func aUsedFallbackKeyIsExchangedAndTheOldOneForgottenAnHourLater() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server).start()
        let first = bot?.fallback?.id
        server.devices["@bot:example.test"]?["BOT"]?.isFallbackUsed = true
        try phone.sync()
        // Within an hour of the one before it stays.
        #expect(bot?.fallback?.id == first && phone.machine.nextDeadline == phone.now + hour)
        phone.now += hour
        try phone.drain()
        #expect(bot?.fallback?.id != first)
        try phone.restart()
        #expect(phone.machine.nextDeadline == phone.now + hour)
        _ = try phone.start()
        phone.now += hour
        try phone.drain()
        #expect(phone.machine.nextDeadline == nil)
    }

    @Test func aRefusedUploadIsTriedAgainEverLater() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        var tries: [Int64] = []
        for _ in 0..<12 {
            for request in try phone.machine.requests(now: phone.now) {
                if case .uploadKeys = request.call {
                    tries.append(phone.now)
                    try phone.machine.failed(
                        request.id, .refused(errcode: "M_FORBIDDEN", text: ""), now: phone.now)
                } else {
                    try phone.make(request)
                }
            }
            if let next = phone.machine.nextDeadline { phone.now = max(phone.now, next) }
        }
        let pauses = zip(tries.dropFirst(), tries).map { $0 - $1 }
        #expect(tries.count < 12 && pauses.last! >= pauses[1] && pauses[1] >= 60_000)
    }

    @Test func whatIsGivenOutWasSavedBefore() throws {
        let phone = try Phone("@bot:example.test", "BOT", on: server)
        for request in try phone.machine.requests(now: phone.now) { try phone.make(request) }
        phone.store.isFull = true
        #expect(throws: CryptoError.store("the disk is full")) { try phone.machine.requests(now: phone.now) }
        #expect(server.uploads == 0)
        phone.store.isFull = false
        _ = try phone.start()
        #expect(bot?.oneTime.count == 50)
    }
}
