import JSON
import Libolm
import OpenSSL
import Testing

@testable import MatrixCrypto

@Suite struct OwnDeviceReportTests {
    private static func report(_ server: IdentityServer, device: String = "BOT") throws -> OwnDeviceReport {
        let answer = try server.answer(.queryKeys(users: ["@bot:x"]), user: "@bot:x", device: "BOT").get()
        return OwnDeviceReport(answer, user: "@bot:x", device: device, driver: LibolmDriver(random: randomBytes))
    }

    @Test("what check --live says of the device, as it becomes whole") func steps() throws {
        let server = IdentityServer()
        let nothing = try Self.report(server)
        #expect(nothing.keys == nil && nothing.finding(device: "BOT", stored: nil).isGood)

        let bench = try IdentityBench(server)
        server.wantsPassword = true
        try bench.run()
        let unsigned = try Self.report(server).finding(device: "BOT", stored: bench.machine.identityKeys)
        #expect(!unsigned.isGood && unsigned.text.contains("no cross-signing keys"))

        bench.now += 3_600_000
        server.wantsPassword = false
        server.refusesSignatures = true
        try bench.run()
        let half = try Self.report(server).finding(device: "BOT", stored: bench.machine.identityKeys)
        #expect(!half.isGood && half.text.contains("hasn't signed it"))

        bench.now += 3_600_000
        server.refusesSignatures = false
        try bench.run()
        let whole = try Self.report(server)
        #expect(whole.keys == bench.machine.identityKeys && whole.isSigned)
        #expect(whole.finding(device: "BOT", stored: whole.keys).isGood)
        #expect(!whole.finding(device: "BOT", stored: nil).isGood, "nothing in the state folder")
        let other = whole.finding(device: "BOT", stored: IdentityKeys(curve25519: "a", ed25519: "b"))
        #expect(!other.isGood && other.text.contains("a new device is needed"))
        #expect(try Self.report(server, device: "ELSE").keys == nil)
    }
}
