import JSON
import TestSupport
import Testing

@testable import MatrixCrypto

/// Keys that a homeserver can't have forgotten.
@Suite struct PinTests {
    typealias Bench = TrackerBench

    @Test("told to have left and followed again, somebody is held to the keys that were seen of them") func back()
        throws
    {
        let bench = try Bench()
        let alice = try ToldPerson("@alice:x")
        try alice.add("PHONE")
        try bench.learn([alice])
        try bench.changed([], left: ["@alice:x"])
        // A server that lies: another key for her phone, and no cross-signing.
        alice.masterKeys = nil
        alice.selfSigningKeys = nil
        try alice.add("PHONE", signed: false)
        try alice.add("SLIPPED-IN", signed: false)
        let again = try bench.restarted()
        again.tracker.follow(["@alice:x"])
        _ = try again.requests()
        let late = try again.restarted()
        for one in [late, late] {
            try one.changed(["@alice:x"])
            let events = try one.answer(try one.requests()[0], ToldPerson.answer([alice]))
            #expect(events == [.notice(.deviceKeyChanged(user: "@alice:x", device: "PHONE"))])
            let user = try #require(one.tracker.user("@alice:x"))
            #expect(user.identity?.masterKey == alice.master.publicKey && user.devices.map(\.id) == ["SLIPPED-IN"])
            #expect(!user.devices.contains { DeviceTrust.crossSignedOrWithout.allows($0, of: user) })
        }
        // Another identity is told, with a warning.
        try late.changed([], left: ["@alice:x"])
        let other = try ToldPerson("@alice:x")
        late.tracker.follow(["@alice:x"])
        let told = try late.answer(try late.requests()[0], ToldPerson.answer([other]))
        #expect(told == [.notice(.identityChanged(user: "@alice:x"))])
        #expect(CryptoNotice.identityChanged(user: "@alice:x").isWarning)
    }

    @Test("of those who left so many are kept; those that left first go") func leftUsers() throws {
        let bench = try Bench()
        var left = try LeftUsers(bench.context)
        func person(_ index: Int) -> StoredUser {
            StoredUser(
                id: "@u\(index):x", isOutdated: false, devices: [],
                identity: UserIdentity(masterKey: "m\(index)", selfSigningKey: nil))
        }
        for index in 0...LeftUsers.most { left.keep(person(index), earlier: nil) }
        left.flush()
        try bench.context.save()
        left = try LeftUsers(bench.context)
        #expect(try left.pins(of: "@u0:x") == nil && bench.store.value(of: "left.user.@u0:x") == nil)
        #expect(try left.pins(of: "@u1:x")?.identity?.masterKey == "m1")
        left.forget("@u1:x")
        left.flush()
        try bench.context.save()
        #expect(try LeftUsers(bench.context).pins(of: "@u1:x") == nil)
        #expect(try bench.store.value(of: "left.user.@u1:x") == nil)
    }

    @Test("the account's own devices are judged by the identity that the bot holds, whatever the server tells")
    func own() throws {
        let bench = try Bench()
        let (ours, theirs) = (try ToldPerson("@bot:x"), try ToldPerson("@bot:x"))
        try theirs.add("OTHER")
        try bench.learn([theirs])
        func trusted() -> [Bool] { (bench.tracker.user("@bot:x")?.devices ?? []).map(\.isCrossSigned) }
        #expect(trusted() == [true])
        bench.tracker.holds(
            UserIdentity(masterKey: ours.master.publicKey, selfSigningKey: ours.selfSigning.publicKey))
        #expect(!bench.tracker.isCurrent(["@bot:x"]), "looked at again")
        let events = try bench.answer(try bench.requests()[0], ToldPerson.answer([theirs]))
        #expect(trusted() == [false] && events == [.notice(.identityChanged(user: "@bot:x"))])
        #expect(bench.tracker.user("@bot:x")?.identity?.masterKey == ours.master.publicKey)
        try ours.add("SIGNED")
        try bench.changed(["@bot:x"])
        try bench.answer(try bench.requests()[0], ToldPerson.answer([ours]))
        #expect(trusted() == [true])
    }
}
