import JSON
import Libolm
import OpenSSL
import TestSupport
import Testing

@testable import MatrixCrypto

@Suite struct DeviceTrackerTests {
    private static func users(_ requests: [CryptoRequest]) -> [[String]] {
        requests.compactMap { if case .queryKeys(let users) = $0.call { users } else { nil } }
    }

    @Test("followed people are asked for once, and known then") func follow() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("PHONE")
        bench.tracker.follow(["@alice:x", "@alice:x", "no user"])
        #expect(!bench.tracker.isCurrent(["@alice:x"]) && bench.tracker.user("@alice:x") == nil)
        let requests = try bench.requests()
        #expect(Self.users(requests) == [["@alice:x", "@bot:x"]])
        #expect(try bench.requests().isEmpty)
        let generation = bench.tracker.generation
        #expect(try bench.answer(requests[0], ToldPerson.answer([alice])).isEmpty)
        #expect(bench.tracker.generation > generation)
        #expect(bench.tracker.isCurrent(["@alice:x", "@bot:x", "no user"]))
        let device = try #require(bench.tracker.user("@alice:x")?.devices.first)
        #expect(device.id == "PHONE" && device.isCrossSigned && device.algorithms.count == 2)
        #expect(bench.tracker.user("@alice:x")?.identity?.masterKey == alice.master.publicKey)
        #expect(try bench.requests().isEmpty && bench.tracker.nextDeadline == nil)
        // A restart knows it too.
        let again = try bench.restarted()
        #expect(
            again.tracker.isCurrent(["@alice:x"]) && again.tracker.user("@alice:x") == bench.tracker.user("@alice:x"))
    }

    @Test("a change while the question is under way is asked about again") func race() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("PHONE")
        bench.tracker.follow(["@alice:x"])
        let first = try bench.requests()[0]
        let before = ToldPerson.answer([alice])
        try alice.add("NEW")
        try bench.changed(["@alice:x"])
        #expect(try bench.requests().isEmpty, "one question at a time")
        try bench.answer(first, before)
        #expect(!bench.tracker.isCurrent(["@alice:x"]))
        #expect(bench.tracker.user("@alice:x")?.devices.map(\.id) == ["PHONE"])
        let second = try bench.requests()
        #expect(Self.users(second) == [["@alice:x"]])
        try bench.answer(second[0], ToldPerson.answer([alice]))
        #expect(bench.tracker.isCurrent(["@alice:x"]))
        #expect(Set(bench.tracker.user("@alice:x")?.devices.map(\.id) ?? []) == ["PHONE", "NEW"])
    }

    @Test("killed between the sync and the answer, the question is asked again") func killed() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("PHONE")
        try bench.learn([alice])
        try bench.changed(["@alice:x"])
        _ = try bench.requests()
        let again = try bench.restarted()
        #expect(!again.tracker.isCurrent(["@alice:x"]))
        #expect(Self.users(try again.requests()) == [["@alice:x"]])
    }

    @Test("who left is forgotten; nobody else's changes matter; oneself is always followed") func left() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try bench.learn([alice])
        try bench.changed(["@mallory:x"], left: ["@alice:x", "@bot:x"])
        #expect(bench.tracker.user("@alice:x") == nil && bench.tracker.user("@bot:x") != nil)
        #expect(try bench.requests().isEmpty)
        #expect(try bench.restarted().tracker.user("@alice:x") == nil)
    }

    @Test(
        "a device that isn't what it says is left out",
        arguments: ["user", "device", "signature", "key", "padded", "short", "place"])
    func badDevice(_ fault: String) throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("GOOD")
        try alice.add("BAD") { object in
            switch fault {
            case "user": object["user_id"] = "@mallory:x"
            case "device": object["device_id"] = "OTHER"
            case "padded", "short":
                var keys = object["keys"]!.object!
                let key = keys["curve25519:BAD"]!.string!
                keys["curve25519:BAD"] = .string(fault == "short" ? String(key.dropLast(4)) : key + "=")
                object["keys"] = .object(keys)
            default: break
            }
        }
        if fault == "signature" { alice.tamper("BAD") { $0["algorithms"] = ["m.megolm.v1.aes-sha2"] } }
        if fault == "key" { alice.tamper("BAD") { $0["keys"] = .object(JSONObject()) } }
        if fault == "place" {
            let keys = alice.devices["BAD"]!
            alice.remove("BAD")
            try alice.add("ELSEWHERE")
            alice.tamper("ELSEWHERE") { $0 = keys }
        }
        bench.tracker.follow(["@alice:x"])
        let events = try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        #expect(bench.tracker.user("@alice:x")?.devices.map(\.id) == ["GOOD"])
        #expect(events == [.notice(.unusableDevice(user: "@alice:x", device: fault == "place" ? "ELSEWHERE" : "BAD"))])
    }

    @Test("the key of a known device never changes") func pinned() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        let account = try alice.add("PHONE")
        try bench.learn([alice])
        try alice.add("PHONE")
        try bench.changed(["@alice:x"])
        let events = try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        #expect(events == [.notice(.deviceKeyChanged(user: "@alice:x", device: "PHONE"))])
        #expect(bench.tracker.user("@alice:x")?.devices.first?.ed25519 == account.identityKeys.ed25519)
        // Gone and back with its own key, it is the same.
        alice.remove("PHONE")
        try bench.changed(["@alice:x"])
        try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        #expect(bench.tracker.user("@alice:x")?.devices.isEmpty ?? false)
    }

    @Test("only the self-signing key that the master key signed signs devices") func chain() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("SIGNED")
        try alice.add("UNSIGNED", signed: false)
        try bench.learn([alice])
        func signed() -> [String] {
            (bench.tracker.user("@alice:x")?.devices ?? []).filter(\.isCrossSigned).map(\.id)
        }
        #expect(signed() == ["SIGNED"])
        // Somebody else's self-signing key, which the master key didn't sign: the known one holds.
        let other = try ToldPerson("@alice:x")
        alice.selfSigningKeys = alice.key("self_signing", other.selfSigning)
        try bench.changed(["@alice:x"])
        try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        #expect(signed() == ["SIGNED"])
        // Who was seen with cross-signing is held to it.
        alice.masterKeys = nil
        alice.selfSigningKeys = nil
        try alice.add("SLIPPED-IN", signed: false)
        try bench.changed(["@alice:x"])
        try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        #expect(bench.tracker.user("@alice:x")?.identity?.masterKey == alice.master.publicKey && signed() == ["SIGNED"])
        // Another identity is taken, and told.
        try other.add("THEIRS")
        try bench.changed(["@alice:x"])
        let events = try bench.answer(try bench.requests()[0], ToldPerson.answer([other]))
        #expect(events == [.notice(.identityChanged(user: "@alice:x"))] && signed() == ["THEIRS"])
    }

    @Test("a server that doesn't answer holds nobody up, and is asked again later") func failures() throws {
        let bench = try TrackerBench()
        let far = try ToldPerson("@far:dead.example")
        try far.add("PHONE")
        try bench.learn([far])
        try bench.changed(["@far:dead.example"])
        let alice = try ToldPerson("@alice:x")
        bench.tracker.follow(["@alice:x"])
        let requests = try bench.requests()
        #expect(
            Self.users(requests) == [["@alice:x"], ["@far:dead.example"]], "who is far holds nobody up that is near")
        try bench.answer(requests[0], ToldPerson.answer([alice]))
        try bench.answer(requests[1], ToldPerson.answer([], failures: ["dead.example"]))
        #expect(bench.tracker.isCurrent(["@alice:x", "@far:dead.example"]))
        #expect(bench.tracker.user("@far:dead.example")?.devices.map(\.id) == ["PHONE"], "as last seen")
        #expect(try bench.requests().isEmpty)
        let due = try #require(bench.tracker.nextDeadline)
        #expect(due > bench.now)
        // A change told meanwhile is asked about at once, and still nobody waits.
        try bench.changed(["@far:dead.example"])
        #expect(bench.tracker.isCurrent(["@far:dead.example"]))
        let again = try bench.requests()
        try bench.answer(again[0], ToldPerson.answer([], failures: ["dead.example"]))
        let later = try #require(bench.tracker.nextDeadline)
        #expect(later - bench.now > due - bench.now, "ever longer")
        bench.now = later
        try far.add("NEW")
        try bench.answer(try bench.requests()[0], ToldPerson.answer([far]))
        #expect(bench.tracker.user("@far:dead.example")?.devices.count == 2 && bench.tracker.nextDeadline == nil)
    }

    @Test("change after change, and slow to say which: nobody waits longer than twenty seconds") func slow() throws {
        let bench = try TrackerBench()
        let far = try ToldPerson("@far:y")
        try bench.learn([far])
        try bench.changed(["@far:y"])
        let request = try bench.requests()[0]
        #expect(!bench.tracker.isCurrent(["@far:y"]))
        bench.now += 10_000
        try bench.changed(["@far:y"])
        try bench.answer(request, ToldPerson.answer([far]))
        _ = try bench.requests()
        #expect(!bench.tracker.isCurrent(["@far:y"]))
        bench.now = try #require(bench.tracker.nextDeadline)
        _ = try bench.requests()
        #expect(bench.tracker.isCurrent(["@far:y"]))
    }

    @Test("questions are of a bounded size, and a refused one is halved until it is known whom it is about")
    func batches() throws {
        let bench = try TrackerBench()
        let ids = (0..<500).map { "@u\($0):x" }
        bench.tracker.follow(ids)
        let requests = try bench.requests()
        #expect(Self.users(requests).map(\.count) == [200, 200, 101])
        for request in requests.dropFirst() { try bench.answer(request, ToldPerson.answer([])) }
        var open = [requests[0]]
        var rounds = 0
        while let request = open.popLast(), rounds < 100 {
            rounds += 1
            let users = Self.users([request])[0]
            if users.contains("@u0:x") {
                try bench.refuse(request)
            } else {
                try bench.answer(request, ToldPerson.answer([]))
            }
            open += try bench.requests()
        }
        #expect(rounds < 20 && bench.tracker.isCurrent(ids))
        #expect(bench.tracker.user("@u0:x") == nil && bench.tracker.user("@u499:x") != nil)
    }

    @Test("after a gap the server is asked what changed meanwhile, and nothing is sent before it is known")
    func gap() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        let bob = try ToldPerson("@bob:x")
        try bench.learn([alice, bob])
        try bench.changed([], position: "s1")
        // Going on from there needs nothing.
        let same = try bench.restarted()
        same.tracker.resumes(from: "s1")
        try same.changed([], position: "s2")
        #expect(try same.requests().isEmpty)
        let anew = try bench.restarted()
        anew.tracker.resumes(from: nil)
        #expect(!anew.tracker.isCurrent(["@alice:x"]))
        #expect(try anew.requests().isEmpty, "up to where isn't known yet")
        try anew.changed([], position: "s9")
        let request = try #require(try anew.requests().first)
        #expect(request.call == .keyChanges(from: "s2", to: "s9"))
        // Killed here, it is asked again.
        let killed = try bench.restarted()
        killed.tracker.resumes(from: "s9")
        try killed.changed([], position: "s10")
        #expect(try killed.requests().first?.call == .keyChanges(from: "s2", to: "s10"))
        try anew.answer(request, ["changed": ["@bob:x", "@stranger:x"], "left": ["@alice:x"]])
        #expect(anew.tracker.user("@alice:x") == nil && !anew.tracker.isCurrent(["@bob:x"]))
        #expect(Self.users(try anew.requests()) == [["@bob:x"]])
        // A server that doesn't know that far back: everybody is asked for.
        let refused = try killed.restarted()
        refused.tracker.resumes(from: nil)
        try refused.changed([], position: "s20")
        let asked = try #require(try refused.requests().first)
        try refused.refuse(asked)
        #expect(!refused.tracker.isCurrent(["@bob:x"]))
        #expect(Self.users(try refused.requests()).flatMap(\.self).contains("@bob:x"))
    }

    @Test("two devices of one person with one key are one") func oneKey() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        let account = try alice.add("FIRST")
        for index in 0..<3 { try alice.add("COPY\(index)", account: account) }
        bench.tracker.follow(["@alice:x"])
        let events = try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        #expect(events.count == 3 && bench.tracker.user("@alice:x")?.devices.count == 1)
    }

    @Test("strangers are few, aren't stored, and take nobody's place") func guests() throws {
        let bench = try TrackerBench()
        for index in 0..<DeviceTracker.mostUsers { bench.tracker.followGuest("@stranger\(index):x") }
        #expect(Self.users(try bench.requests()).flatMap(\.self).count == DeviceTracker.mostGuests + 1)
        #expect(try bench.store.trackedUsers().count == 1)
        let last = "@stranger\(DeviceTracker.mostUsers - 1):x"
        #expect(!bench.tracker.sharesRoom(last))
        // One of them turns out to share a room.
        bench.tracker.follow([last])
        _ = try bench.requests()
        #expect(try bench.tracker.sharesRoom(last) && bench.store.trackedUsers().count == 2)
        bench.tracker.follow(["@alice:x"])
        #expect(Self.users(try bench.requests()) == [["@alice:x"]])
    }

    @Test("a full table has places for new members: who wasn't seen since the start goes") func full() throws {
        let full = try TrackerBench()
        full.tracker.follow((1..<DeviceTracker.mostUsers).map { "@u\($0):x" })
        _ = try full.requests()
        let bench = try full.restarted()
        bench.tracker.follow(["@u1:x", "@alice:x"])
        #expect(!bench.tracker.isCurrent(["@alice:x"]) && bench.tracker.sharesRoom("@alice:x"))
        _ = try bench.requests()
        #expect(try bench.store.trackedUsers().count == DeviceTracker.mostUsers)
        #expect(bench.tracker.sharesRoom("@u1:x") && bench.tracker.sharesRoom("@bot:x"))
    }

    @Test("what changed meanwhile isn't to be learned: everybody is asked for") func noChanges() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try bench.learn([alice])
        try bench.changed(["@alice:x"], position: "s1")
        let anew = try bench.restarted()
        anew.tracker.resumes(from: nil)
        try anew.changed([], position: "s9")
        let request = try #require(try anew.requests().first)
        #expect(!anew.tracker.isCurrent(["@alice:x"]) && anew.tracker.nextDeadline == nil)
        anew.tracker.delayed(request.id, now: anew.now)
        let questions = try anew.requests()
        #expect(Self.users(questions) == [["@alice:x", "@bot:x"]] && anew.context.calls.find(request.id) == nil)
        try anew.answer(questions[0], ToldPerson.answer([alice]))
        #expect(anew.tracker.isCurrent(["@alice:x"]))
    }

    @Test("whose question has no turn is waited for no longer than others") func noTurn() throws {
        let bench = try TrackerBench()
        let ids = (0..<1_500).map { "@u\($0):x" }
        bench.tracker.follow(ids)
        _ = try bench.requests()
        bench.now += 20_000
        _ = try bench.requests()
        #expect(bench.tracker.isCurrent(ids))
    }

    @Test("a few of one answer are told: nobody fills the log") func quiet() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        let account = try alice.add("GOOD")
        for index in 0..<100 {
            try alice.add("BAD\(index)", account: account)
            alice.tamper("BAD\(index)") { $0["device_id"] = "ELSE" }
        }
        bench.tracker.follow(["@alice:x"])
        #expect(try bench.answer(try bench.requests()[0], ToldPerson.answer([alice])).count == 20)
        #expect(bench.tracker.user("@alice:x")?.devices.map(\.id) == ["GOOD"])
    }

    @Test("sender_device_keys are checked like those of the server") func told() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("PHONE")
        let keys = JSONValue.object(alice.devices["PHONE"]!)
        #expect(bench.tracker.checked(keys, of: "@alice:x")?.isCrossSigned == false, "nobody knows her identity")
        #expect(
            bench.tracker.checked(keys, of: "@mallory:x") == nil && bench.tracker.checked([:], of: "@alice:x") == nil)
        try bench.learn([alice])
        #expect(bench.tracker.checked(keys, of: "@alice:x")?.isCrossSigned == true)
    }
}
