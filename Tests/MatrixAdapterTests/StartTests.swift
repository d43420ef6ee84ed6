import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

@Loop @Suite struct StartTests {
    @Test("A token: whose it is comes first, then the name, then the sync; it is in the header alone")
    func token() async {
        let bench = Bench()
        bench.adapter.start()
        await bench.settle()
        let paths = bench.server.requests.map { $0.url.split(separator: "?")[0].split(separator: "/").last ?? "" }
        #expect(paths == ["versions", "whoami", "displayname", "sync"])
        #expect(bench.server.requests.allSatisfy { !$0.url.contains("t0ken") && $0.url.hasPrefix("https://") })
        #expect(
            bench.server.requests[1].headers.contains(HTTPHeader("Authorization", "Bearer \(MatrixAdapterTests.token)"))
        )
        #expect(bench.server.requests[0].headers.allSatisfy { $0.name != "Authorization" })
        #expect(bench.lines.lines.allSatisfy { !$0.contains("t0ken") })
    }

    @Test("A password is used once, and the device is used again")
    func password() async {
        let first = Bench(passwordSettings())
        first.adapter.start()
        await first.settle()
        let login = first.server.requests("/login")
        #expect(login.count == 1)
        let body = login.first.flatMap { try? JSONValue(parsing: $0.body ?? []) }
        #expect(body?["identifier"]?["user"]?.string == bot && body?["password"]?.string == "pa55")
        #expect(body?["device_id"]?.string?.hasPrefix("GIFBOT") == true)
        #expect(first.store.session(of: bot)?.accessToken.value == "fresh-token")
        #expect(first.lines.addedSecrets.contains(Secret("fresh-token")))
        #expect(first.lines.lines.allSatisfy { !$0.contains("pa55") && !$0.contains("fresh-token") })

        let second = Bench(passwordSettings(), session: first.store.session(of: bot))
        second.adapter.start()
        await second.settle()
        #expect(second.server.requests("/login").isEmpty)
        #expect(second.server.requests("/sync").count == 1)
    }

    @Test("A stored session that is over is made anew on the same device")
    func expired() async {
        let stored = StoredSession(userID: bot, deviceID: "OLDDEV", accessToken: Secret("old"))
        let bench = Bench(passwordSettings(), session: stored)
        bench.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        bench.adapter.start()
        await bench.settle()
        let body = bench.server.requests("/login").first.flatMap { try? JSONValue(parsing: $0.body ?? []) }
        #expect(body?["device_id"]?.string == "OLDDEV")
        #expect(bench.server.requests("/sync").count == 1)
    }

    @Test("A device that somebody logged out is gone: the login makes another one")
    func loggedOut() async {
        let stored = StoredSession(userID: bot, deviceID: "OLDDEV", accessToken: Secret("old"))
        let bench = Bench(passwordSettings(), session: stored)
        bench.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN"))
        bench.adapter.start()
        await bench.settle()
        let body = bench.server.requests("/login").first.flatMap { try? JSONValue(parsing: $0.body ?? []) }
        #expect(body?["device_id"]?.string.map { $0.hasPrefix("GIFBOT") && $0 != "OLDDEV" } == true)
        #expect(bench.server.requests("/sync").count == 1)
    }

    @Test("A refused password is not tried again")
    func wrongPassword() async {
        let bench = Bench(passwordSettings())
        bench.server.next("/login", .refusal(403, "M_FORBIDDEN"))
        bench.adapter.start()
        await bench.settle()
        await bench.advance(by: .hours(2))
        #expect(bench.server.requests("/login").count == 1)
        #expect(bench.adapter.haltReason != nil)
    }

    @Test("A login that is limited waits as told")
    func limitedLogin() async {
        let bench = Bench(passwordSettings())
        bench.server.next("/login", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "330"))
        bench.adapter.start()
        await bench.settle()
        await bench.advance(by: .seconds(329))
        #expect(bench.server.requests("/login").count == 1)
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/login").count == 2 && bench.server.requests("/sync").count == 1)
    }

    @Test("BUG-13: no event is handled until the own id is known")
    func identity() async {
        let bench = Bench()
        bench.server.next("/whoami", .page(502, "<html>"), .failure(.timedOut(host: "matrix.example.test")))
        bench.adapter.start()
        await bench.settle()
        #expect(bench.server.requests("/sync").isEmpty)
        await bench.advance(by: .seconds(2))
        await bench.advance(by: .seconds(4))
        #expect(bench.server.requests("/whoami").count == 3)
        await bench.sync()
        await bench.advance(by: .seconds(1))
        await bench.sync([text("!gif owl", id: "$1", from: bot), text("!gif hen", id: "$2")])
        #expect(bench.bot.texts == ["!gif hen"])
    }

    @Test("A token of another user is not used")
    func otherUser() async {
        let bench = Bench()
        bench.server.next("/whoami", .ok(["user_id": "@other:example.test"]))
        bench.adapter.start()
        await bench.settle()
        #expect(bench.server.requests("/sync").isEmpty && bench.adapter.haltReason != nil)
    }

    @Test("The display name is set when it differs, and failing changes nothing")
    func displayName() async {
        for answer in [FakeHomeserver.Answer.ok([:]), .refusal(429, "M_LIMIT_EXCEEDED")] {
            let bench = Bench(tokenSettings { $0.displayName = "Giffy" })
            bench.server.next("/displayname", .ok(["displayname": "old"]), answer)
            bench.adapter.start()
            await bench.settle()
            #expect(bench.server.requests("/displayname").map(\.method) == [.get, .put])
            #expect(bench.server.requests("/sync").count == 1)
        }
    }

    @Test("BUG-15: a first sync that fails is tried again with growing waits and a long limit")
    func slowFirst() async {
        let bench = Bench()
        bench.server.next("/sync", times: 2, .page(504, "<html>gateway timeout</html>"))
        bench.adapter.start()
        await bench.settle()
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/sync").count == 2)
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/sync").count == 2)
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/sync").count == 3)
        #expect(bench.server.requests("/sync").allSatisfy { $0.timeout >= .seconds(120) })
        #expect(bench.store.savedPositions.isEmpty)
        await bench.sync([text("!gif old", id: "$1")])
        #expect(bench.bot.texts.isEmpty && bench.store.positions[bot] == "s1")
    }

    @Test("BUG-15: after a stop only the young command is answered")
    func resumed() async {
        let bench = Bench(position: "s0")
        bench.adapter.start()
        await bench.settle()
        #expect(bench.server.requests("/sync").first?.url.contains("since=s0") == true)
        await bench.sync([
            text("!gif ancient", id: "$1", age: 3 * 3600 * 1000), text("!gif young", id: "$2", age: 20_000),
            text("!gif lied", id: "$3", age: nil, time: 1_800_000_000_000 - 200_000),
            text("!gif told", id: "$4", age: nil, time: 1_800_000_000_000 - 20_000),
        ])
        #expect(bench.bot.texts == ["!gif young", "!gif told"])
        #expect(bench.bot.messages[0].age == .seconds(20))
    }

    @Test("BUG-15: a refused position starts anew, and nothing old is answered")
    func refusedPosition() async {
        for code in ["M_UNKNOWN", "M_INVALID_PARAM"] {
            let bench = Bench(position: "garbage")
            bench.server.sync(.refusal(400, code))
            bench.adapter.start()
            await bench.settle()
            #expect(bench.store.savedPositions == [nil])
            await bench.advance(by: .seconds(2))
            #expect(bench.server.requests("/sync").last?.url.contains("since=") == false)
            await bench.sync([text("!gif old", id: "$1")])
            // The server's first answer may be from its cache: the next one brings what is old, too.
            await bench.sync([text("!gif older", id: "$2", age: 20_000), text("!gif new", id: "$3")])
            #expect(bench.bot.texts == ["!gif new"])
        }
    }
}
