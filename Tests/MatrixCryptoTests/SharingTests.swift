import JSON
@testable import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

/// Who gets the key of our session in a room, and when a new one begins.
@Suite struct SharingTests {
    let server = StandInServer()
    let bot: Phone
    let ada: Phone
    let bo: Phone
    let two = ["@bot:example.test", "@ada:example.test"]
    let three = ["@bot:example.test", "@ada:example.test", "@bo:example.test"]

    init() throws {
        bot = try Phone("@bot:example.test", "BOT", on: server).start()
        ada = try Phone("@ada:example.test", "ADA", on: server).start()
        bo = try Phone("@bo:example.test", "BO", on: server).start()
    }

    private func session(_ content: JSONValue) -> String { content["session_id"]?.string ?? "" }

    @Test func whenNobodyLacksTheKeyNothingIsCalled() throws {
        _ = try bot.write("one", to: three)
        bot.calls = []
        _ = try bot.write("two", to: three)
        #expect(bot.calls.isEmpty)
        try bot.restart()
        _ = try bot.start()
        bot.calls = []
        _ = try bot.write("three", to: three)
        #expect(bot.calls.isEmpty)
    }

    @Test func aLeaverBeginsANewSessionWithoutHim() throws {
        let first = try bot.write("one", to: three)
        let second = try bot.write("two", to: two)
        #expect(session(first) != session(second))
        try bo.sync()
        try ada.sync()
        #expect(try bo.text(first, from: bot.user, event: "$1") == "one")
        #expect(try bo.text(second, from: bot.user, event: "$2") == nil)
        #expect(try ada.text(second, from: bot.user, event: "$2") == "two")
    }

    @Test func anInvitedPersonWhoGoesBeginsANewSession() throws {
        try bot.ready(bot.audience(two, invited: [bo.user], visibility: "invited"))
        let first = bot.store.content.outbound[room]?.id
        try bot.ready(bot.audience(two, invited: [], visibility: "invited"))
        #expect(bot.store.content.outbound[room]?.id != first)
    }

    @Test func aNewMemberAndANewDeviceGetTheSameSessionFromThenOn() throws {
        let first = try bot.write("one", to: two)
        let second = try bot.write("two", to: three)
        #expect(session(first) == session(second))
        try bo.sync()
        #expect(try bo.text(second, from: bot.user, event: "$2") == "two")
        #expect(try bo.text(first, from: bot.user, event: "$1") == nil)
        let tablet = try Phone(ada.user, "TABLET", on: server).start()
        try bot.sync()
        let third = try bot.write("three", to: three)
        #expect(session(third) == session(first))
        try tablet.sync()
        #expect(try tablet.text(third, from: bot.user, event: "$3") == "three")
    }

    /// From the moment at which the server says that somebody's devices changed.
    @Test func whatIsOnlyKnownToHaveChangedIsWaitedFor() throws {
        let first = try bot.write("one", to: two)
        let tablet = try Phone(ada.user, "TABLET", on: server).start()
        server.logOut(ada.user, "ADA")
        _ = try bot.machine.received(server.sync(bot.user, bot.id), now: bot.now)
        #expect(try bot.machine.prepare(bot.audience(two), now: bot.now) == .waiting)
        let second = try bot.write("two", to: two)
        #expect(session(first) != session(second))
        try tablet.sync()
        #expect(try tablet.text(second, from: bot.user, event: "$2") == "two")
    }

    @Test func aDeviceThatIsLoggedOutBeginsANewSession() throws {
        _ = try Phone(ada.user, "TABLET", on: server).start()
        let first = try bot.write("one", to: two)
        server.logOut(ada.user, "TABLET")
        try bot.sync()
        #expect(session(try bot.write("two", to: two)) != session(first))
    }

    @Test func visibilityCountAgeAndForgettingBeginANewSession() throws {
        try bot.machine.noteEncryption(of: room, RoomEncryption(rotationMessages: 2, rotationPeriod: 2 * hour))
        var seen: [String] = []
        func write(_ visibility: String = "shared") throws {
            try bot.ready(bot.audience(two, visibility: visibility))
            let content = try bot.machine.encrypt(type: "m.room.message", content: [:], in: room, now: bot.now)
            seen.append(session(content))
        }
        try write()
        try write()
        try write()
        #expect(seen[0] == seen[1] && seen[1] != seen[2])
        try write("joined")
        #expect(seen[2] != seen[3])
        bot.now += 2 * hour
        try write("joined")
        #expect(seen[3] != seen[4])
        try bot.machine.forgetOutboundSession(in: room)
        try write("joined")
        #expect(seen[4] != seen[5] && Set(seen).count == 5)
        #expect(bot.store.content.recipients.count == 1)
    }

    /// A prepared session that came of age meanwhile isn't written with.
    @Test func encryptLooksAtTheRotationToo() throws {
        try bot.machine.noteEncryption(of: room, RoomEncryption(rotationMessages: 1, rotationPeriod: hour))
        _ = try bot.write("one", to: two)
        #expect(throws: CryptoError.notPrepared) {
            _ = try bot.machine.encrypt(type: "m.room.message", content: [:], in: room, now: bot.now)
        }
    }

    @Test func unsignedDevicesOfSomebodyWhoSignsAreToldOnceThatTheyGetNothing() throws {
        let signed = try CrossSigned(ada.user, on: server)
        try signed.sign("ADA", on: server)
        let tablet = try Phone(ada.user, "TABLET", on: server).start()
        try bot.sync()
        let content = try bot.write("one", to: three)
        _ = try bot.write("two", to: three)
        try ada.sync()
        try tablet.sync()
        #expect(try ada.text(content, from: bot.user, event: "$1") == "one")
        #expect(try tablet.text(content, from: bot.user, event: "$1") == nil)
        let told = bot.sent("m.room_key.withheld")
        #expect(told.count == 1)
        #expect(told.first?[ada.user]?["TABLET"]?["code"] == "m.unverified")
        #expect(told.first?[ada.user]?["TABLET"]?["session_id"] == content["session_id"])
        #expect(
            tablet.events.contains(
                .withheld(session: session(content), room: room, sender: bot.user, code: "m.unverified")))
        // Once its owner signs it, it reads on from there.
        try signed.sign("TABLET", on: server)
        try bot.sync()
        let later = try bot.write("three", to: three)
        #expect(session(later) == session(content))
        try tablet.sync()
        #expect(try tablet.text(later, from: bot.user, event: "$3") == "three")
        #expect(try tablet.text(content, from: bot.user, event: "$1") == nil)
    }

    @Test func whoHasNoCrossSigningGetsTheKeyUnlessThatIsWanted() throws {
        let strict = try Phone("@strict:example.test", "S", on: server, trust: .crossSigned).start()
        let content = try strict.write("one", to: [strict.user, ada.user])
        try ada.sync()
        #expect(try ada.text(content, from: strict.user, event: "$1") == nil)
        #expect(strict.sent("m.room_key.withheld").count == 1)
    }

    /// MSC4153: what an unsigned device says isn't believed either.
    @Test func anUnsignedDeviceIsNotRead() throws {
        let tablet = try Phone(ada.user, "TABLET", on: server).start()
        let signed = try CrossSigned(ada.user, on: server)
        try signed.sign("ADA", on: server)
        try bot.sync()
        let content = try tablet.write("!gif party", to: two)
        let good = try ada.write("!gif cat", to: two)
        try bot.sync()
        #expect(try bot.text(good, from: ada.user, event: "$2") == "!gif cat")
        #expect(
            try bot.read(content, from: ada.user, event: "$1")
                == .refused("from a device that its owner hasn't signed"))
    }

    @Test func aDeviceThatIsGoneIsReadIfItsKeyCameWhileItWasThere() throws {
        _ = try ada.write("zero", to: two)
        try bot.sync()
        try bot.machine.follow([ada.user])
        try bot.drain()
        try ada.machine.forgetOutboundSession(in: room)
        let content = try ada.write("one", to: two)
        try bot.sync()
        server.logOut(ada.user, "ADA")
        try bot.sync()
        #expect(try bot.text(content, from: ada.user, event: "$1") == "one")
    }

    @Test func withoutKeysADeviceIsToldSoOnceAndAskedForAgainLater() throws {
        server.devices[ada.user]?["ADA"]?.oneTime = []
        server.devices[ada.user]?["ADA"]?.fallback = nil
        _ = try bot.write("one", to: three)
        #expect(bot.sent("m.room_key.withheld").map { $0[ada.user]?["ADA"]?["code"] } == ["m.no_olm"])
        bot.calls = []
        _ = try bot.write("two", to: three)
        #expect(bot.calls.isEmpty)
        bot.now += SessionStarter.patience
        _ = try bot.write("three", to: three)
        #expect(bot.calls.count == 1 && bot.sent("m.room_key.withheld").isEmpty)
        // Its owner is told of it, and begins a session itself.
        try ada.sync()
        try ada.sync()
        try bot.sync()
        bot.now += SessionStarter.patience
        let content = try bot.write("four", to: three)
        try ada.sync()
        #expect(try ada.text(content, from: bot.user, event: "$4") == "four")
    }

    @Test func aServerThatIsSilentKeepsNobodyElseWaiting() throws {
        let far = try Phone("@far:far.test", "FAR", on: server).start()
        try bot.machine.follow([far.user])
        try bot.drain()
        server.silent = ["far.test"]
        let content = try bot.write("one", to: three + [far.user])
        try ada.sync()
        #expect(try ada.text(content, from: bot.user, event: "$1") == "one")
        #expect(bot.sent("m.room_key.withheld").isEmpty)
    }

    @Test func aClaimedKeyThatTheDeviceDidNotSignIsNotUsed() throws {
        let other = server.devices[bo.user]?["BO"]?.oneTime ?? []
        server.devices[ada.user]?["ADA"]?.oneTime = other
        let content = try bot.write("one", to: two)
        try ada.sync()
        #expect(try ada.text(content, from: bot.user, event: "$1") == nil)
        #expect(bot.sent("m.room.encrypted").isEmpty)
    }

    /// Killed while keys are on their way: nobody knows who has them, so they count for nothing.
    @Test func aSessionWhoseSharingWasCutIsNotUsedAgain() throws {
        #expect(try bot.machine.prepare(bot.audience(two), now: bot.now) == .waiting)
        var rounds = 0
        var hasSent = false
        while !hasSent, rounds < 10 {
            rounds += 1
            for request in try bot.machine.requests(now: bot.now) {
                if case .toDevice("m.room.encrypted", _, _) = request.call {
                    _ = try server.answer(request.call, from: bot.user, bot.id)
                    hasSent = true
                } else {
                    try bot.make(request)
                }
            }
            _ = try bot.machine.prepare(bot.audience(two), now: bot.now)
        }
        try #require(hasSent)
        let first = try #require(bot.store.content.outbound[room]?.id)
        try bot.restart()
        let content = try bot.write("one", to: two)
        #expect(session(content) != first)
        try ada.sync()
        #expect(try ada.text(content, from: bot.user, event: "$1") == "one")
    }

    @Test func aCallThatFailsForAWhileComesAgainAsItWas() throws {
        #expect(try bot.machine.prepare(bot.audience(two), now: bot.now) == .waiting)
        var failed: [CryptoRequest.Call] = []
        for _ in 0..<12 {
            for request in try bot.machine.requests(now: bot.now) {
                if case .toDevice = request.call, failed.isEmpty {
                    failed.append(request.call)
                    try bot.machine.failed(request.id, .transient, now: bot.now)
                    #expect(try bot.machine.prepare(bot.audience(two), now: bot.now) == .waiting)
                } else {
                    try bot.make(request)
                }
            }
            _ = try bot.machine.prepare(bot.audience(two), now: bot.now)
            if let next = bot.machine.nextDeadline { bot.now = max(bot.now, next) }
        }
        #expect(bot.calls.contains(failed[0]))
        #expect(try bot.machine.prepare(bot.audience(two), now: bot.now) == .ready)
    }

    /// A call that always fails is made on, but the message doesn't wait for it.
    @Test(arguments: ["claim", "send", "changes"]) func aCallThatFailsWithoutEndMutesNoRoom(_ what: String) throws {
        var sync = CryptoSync()
        sync.unusedFallbackTypes = ["signed_curve25519"]
        sync.oneTimeKeyCounts = ["signed_curve25519": 50]
        sync.nextBatch = "s1"
        _ = try bot.machine.received(sync, now: bot.now)
        try bot.restart()
        try bot.drain()
        bot.machine.resumes(from: what == "changes" ? nil : "s1")
        sync.nextBatch = "s9"
        _ = try bot.machine.received(sync, now: bot.now)
        func fails(_ call: CryptoRequest.Call) -> Bool {
            switch call {
            case .claimKeys: what == "claim"
            case .toDevice: what == "send"
            case .keyChanges: what == "changes"
            default: false
            }
        }
        let start = bot.now
        var tries = 0
        while try bot.machine.prepare(bot.audience(two), now: bot.now) == .waiting, tries < 30 {
            tries += 1
            while true {
                let requests = try bot.machine.requests(now: bot.now)
                guard !requests.isEmpty else { break }
                for request in requests {
                    if fails(request.call) {
                        try bot.machine.failed(request.id, .transient, now: bot.now)
                    } else {
                        try bot.make(request)
                    }
                }
            }
            guard try bot.machine.prepare(bot.audience(two), now: bot.now) == .waiting else { break }
            if let next = bot.machine.nextDeadline, next > bot.now { bot.now = next }
        }
        #expect(bot.now - start <= 60_000 && tries < 30)
        let first = try bot.machine.encrypt(
            type: "m.room.message", content: ["body": "one"], in: room, now: bot.now)
        // It answers again.
        bot.now += CallQueue.longestPause
        try bot.drain()
        let second = try bot.write("two", to: two)
        #expect(session(first) == session(second))
        try ada.sync()
        #expect(try ada.text(second, from: bot.user, event: "$2") == "two")
        if what != "claim" { #expect(try ada.text(first, from: bot.user, event: "$1") == "one") }
    }

    @Test func theOwnOtherDeviceGetsTheKeyToo() throws {
        let laptop = try Phone(bot.user, "LAPTOP", on: server).start()
        try bot.sync()
        let content = try bot.write("one", to: two)
        try laptop.sync()
        #expect(try laptop.text(content, from: bot.user, event: "$1") == "one")
    }

    @Test func hundredsOfDevicesGetItInBatches() throws {
        let crowd = (0..<10).map { "@p\($0):example.test" }
        for user in crowd {
            for device in 0..<20 {
                let phone = try Phone(user, "D\(device)", on: server)
                try phone.drain()
            }
        }
        _ = try bot.write("one", to: two + crowd)
        let batches = bot.sent("m.room.encrypted")
        for batch in batches { #expect(try JSONWriter.canonical(batch).count < 65_536) }
        let count = batches.reduce(0) {
            $0 + ($1.object?.members.reduce(0) { $0 + ($1.value.object?.members.count ?? 0) } ?? 0)
        }
        #expect(count == 201)
        bot.calls = []
        _ = try bot.write("two", to: two + crowd)
        #expect(bot.calls.isEmpty)
    }
}
