import Base
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

private func login(_ token: String, refresh: String, milliseconds: Int64 = 300_000) -> FakeHomeserver.Answer {
    .ok([
        "user_id": .string(bot), "device_id": "DEV", "access_token": .string(token), "refresh_token": .string(refresh),
        "expires_in_ms": .integer(milliseconds),
    ])
}

private func isBearer(_ token: String, _ request: HTTPRequest?) -> Bool {
    request?.headers.contains(HTTPHeader("Authorization", "Bearer " + token)) ?? false
}

/// As `gifbot login` leaves it.
private func storedSettings() -> MatrixAccountSettings {
    MatrixAccountSettings(name: "home", homeserver: "https://matrix.example.test", user: bot, signIn: .stored)
}

private let oauth: JSONValue = [
    "issuer": "https://account.example.test/", "token_endpoint": "https://account.example.test/oauth2/token",
    "registration_endpoint": "https://account.example.test/oauth2/registration",
    "device_authorization_endpoint": "https://account.example.test/oauth2/device",
]

@Loop @Suite struct AccountTests {
    @Test("A token that ends is renewed before it does, the long poll is cut short for it, and the new pair is stored")
    func renewedInTime() async {
        let bench = Bench(passwordSettings())
        bench.server.next("/login", login("one", refresh: "r1"))
        bench.server.next("/refresh", login("two", refresh: "r2"), login("three", refresh: "r3"))
        bench.adapter.start()
        await bench.settle()
        let body = bench.server.requests("/login").first.flatMap { try? JSONValue(parsing: $0.body ?? []) }
        #expect(body?["refresh_token"] == true)
        await bench.sync()
        await bench.advance(by: .seconds(239))
        #expect(bench.server.requests("/refresh").isEmpty)
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/refresh").count == 1)
        #expect(isBearer("two", bench.server.requests("/sync").last))
        #expect(bench.server.requests("/sync").last?.url.contains("since=s1&") == true)
        #expect(bench.store.session(of: bot)?.refreshToken?.value == "r2")
        await bench.sync([text("!gif owl", id: "$1")])
        _ = bench.answer("Owl")
        await bench.settle()
        #expect(isBearer("two", bench.server.requests("/send/").last))
        await bench.advance(by: .seconds(240))
        #expect(bench.store.session(of: bot)?.accessToken.value == "three")
        #expect(bench.lines.lines.allSatisfy { !$0.contains("r2") } && bench.adapter.haltReason == nil)
    }

    @Test("An answer refused for its token makes a new one at once, and is sent again as the same event")
    func renewedOnRefusal() async {
        let bench = Bench(passwordSettings())
        bench.server.next("/login", login("one", refresh: "r1"))
        bench.server.next("/refresh", login("two", refresh: "r2"))
        bench.adapter.start()
        await bench.settle()
        await bench.sync()
        await bench.advance(by: .seconds(10))
        await bench.sync([text("!gif owl", id: "$1")])
        bench.server.next("/send/", .refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        _ = bench.answer("Owl")
        await bench.settle()
        await bench.advance(by: .seconds(2))
        #expect(bench.server.requests("/refresh").count == 1 && bench.server.requests("/login").count == 1)
        #expect(bench.server.sentBodies == ["Owl", "Owl"])
        #expect(Set(bench.server.requests("/send/").map(\.url)).count == 1)
        #expect(isBearer("two", bench.server.requests("/send/").last))
    }

    @Test("A refresh that fails for a while is tried again; one that is refused ends in a login with the password")
    func refreshFails() async {
        let bench = Bench(passwordSettings())
        bench.server.next("/login", login("one", refresh: "r1"), login("new", refresh: "r9"))
        bench.server.next("/refresh", .page(502, "<html>"), .refusal(401, "M_UNKNOWN_TOKEN"))
        bench.adapter.start()
        await bench.settle()
        await bench.sync()
        bench.server.sync(.refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        await bench.settle()
        #expect(bench.server.requests("/refresh").count == 1)
        await bench.advance(by: .seconds(2))
        #expect(bench.server.requests("/refresh").count == 2)
        bench.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN"))
        bench.server.next("/refresh", .refusal(401, "M_UNKNOWN_TOKEN"))
        await bench.advance(by: .seconds(10))
        #expect(bench.server.requests("/login").count == 2 && bench.adapter.haltReason == nil)
        #expect(isBearer("new", bench.server.requests("/sync").last))
    }

    @Test(
        "A device that was logged out isn't taken over by a login, also when its token was due to be renewed",
        arguments: [false, true])
    func deviceGone(isThere: Bool) async {
        let session = StoredSession(
            userID: bot, deviceID: "DEV", accessToken: Secret("old"), refreshToken: Secret("r1"),
            expires: WallTime(milliseconds: 1))
        let bench = Bench(passwordSettings(), session: session)
        bench.server.next("/refresh", .refusal(401, "M_UNKNOWN_TOKEN"))
        bench.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": .bool(isThere)]))
        bench.adapter.start()
        await bench.settle()
        let bodies = bench.server.requests("/login").compactMap { try? JSONValue(parsing: $0.body ?? []) }
        #expect(bodies.count == 1 && bench.adapter.haltReason == nil)
        #expect((bodies.first?["device_id"]?.string == "DEV") == isThere)
    }

    @Test("BUG-17: a server that gives tokens and doesn't take them makes no storm")
    func noStorm() async {
        let bench = Bench(passwordSettings())
        bench.server.next("/login", times: 1000, login("one", refresh: "r1"))
        bench.server.next("/refresh", times: 1000, login("two", refresh: "r2"))
        bench.server.next("/sync", times: 1000, .refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        bench.adapter.start()
        await bench.settle()
        for _ in 0..<360 { await bench.advance(by: .seconds(10)) }
        #expect(bench.server.requests.count < 150)
    }

    @Test("A device of gifbot login goes on with what is stored, renewed by OAuth 2.0")
    func stored() async {
        let session = StoredSession(
            userID: bot, deviceID: "DEV", accessToken: Secret("old"), refreshToken: Secret("r1"),
            expires: WallTime(milliseconds: 1), clientID: "client7")
        let bench = Bench(storedSettings(), session: session)
        bench.server.next("/auth_metadata", .ok(oauth))
        bench.server.next(
            "/oauth2/token",
            .ok(["access_token": "new", "refresh_token": "r2", "expires_in": 300, "token_type": "Bearer"]))
        bench.adapter.start()
        await bench.settle()
        let form = String(decoding: bench.server.requests("/oauth2/token").first?.body ?? [], as: UTF8.self)
        #expect(form == "grant_type=refresh_token&refresh_token=r1&client_id=client7")
        #expect(isBearer("new", bench.server.requests("/sync").first) && bench.server.requests("/login").isEmpty)
        #expect(bench.store.session(of: bot)?.clientID == "client7")
    }

    @Test("Without a session, or with one that is over, gifbot login is named")
    func notSignedIn() async {
        let none = Bench(storedSettings())
        none.adapter.start()
        await none.settle()
        #expect(none.adapter.haltReason?.contains("gifbot login") == true)

        let over = Bench(
            storedSettings(),
            session: StoredSession(
                userID: bot, deviceID: "DEV", accessToken: Secret("old"), refreshToken: Secret("r1"), clientID: "c"))
        over.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN"))
        over.server.next("/auth_metadata", .ok(oauth))
        over.server.next(
            "/oauth2/token", .response(HTTPResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))))
        over.adapter.start()
        await over.settle()
        await over.advance(by: .hours(1))
        #expect(over.adapter.haltReason?.contains("gifbot login") == true)
        #expect(over.server.requests("/oauth2/token").count == 1)
    }

    @Test("The homeserver is found by the user's server; a broken file there is an error, a missing one is not")
    func discovery() async {
        let settings = tokenSettings { $0.homeserver = nil }
        let bench = Bench(settings)
        bench.server.next(
            "/.well-known/matrix/client", .page(200, "<html>"),
            .ok(["m.homeserver": ["base_url": "https://hs.example.test/"]]))
        bench.adapter.start()
        await bench.settle()
        #expect(bench.server.requests.map(\.url) == ["https://example.test/.well-known/matrix/client"])
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/versions").map(\.url) == ["https://hs.example.test/_matrix/client/versions"])
        #expect(
            bench.server.requests("/well-known").allSatisfy { $0.headers.allSatisfy { $0.name != "Authorization" } })

        let bare = Bench(settings)
        bare.server.next("/.well-known/matrix/client", .page(404, "not found"))
        bare.adapter.start()
        await bare.settle()
        #expect(bare.server.requests("/versions").map(\.url) == ["https://example.test/_matrix/client/versions"])
    }

    @Test("A suspended account is told once, when it first may not speak")
    func suspended() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        bench.server.next("/send/", times: 9, .refusal(403, "M_USER_SUSPENDED"))
        _ = bench.answer("Owl", to: 0)
        _ = bench.answer("Hen", to: 1)
        await bench.settle()
        await bench.advance(by: .hours(1))
        #expect(bench.adapter.haltReason?.contains("M_USER_SUSPENDED") == true)
        #expect(bench.server.requests("/send/").count == 1)
        #expect(bench.lines.lines.filter { $0.contains("M_USER_SUSPENDED") }.count == 1)
    }
}

@Loop @Suite struct DeviceLoginTests {
    private let bench = Bench(storedSettings())

    private func start(_ settings: MatrixAccountSettings = storedSettings()) -> (Task<String, Never>, () -> [String]) {
        let login = DeviceLogin(
            settings, as: ClientName(name: "gifbot", website: "https://example.org/gifbot"), http: bench.server,
            clock: bench.clock, store: bench.store, log: Log("matrix", to: bench.lines), random: { 0.5 })
        let said = Said()
        let task = Task { @Loop in
            do throws(DeviceLoginError) {
                try await login.run { said.lines.append($0) }
                return "done"
            } catch {
                return error.text
            }
        }
        return (task, { said.lines })
    }

    @Loop private final class Said { var lines: [String] = [] }

    private func offer() {
        bench.server.next("/auth_metadata", .ok(oauth))
        bench.server.next(
            "/registration", .response(HTTPResponse(status: 201, body: Array(#"{"client_id":"c7"}"#.utf8))))
        bench.server.next(
            "/oauth2/device",
            .ok([
                "device_code": "secretcode", "user_code": "AB-CD",
                "verification_uri": "https://account.example.test/link",
                "verification_uri_complete": "https://account.example.test/link?code=AB-CD", "expires_in": 60,
                "interval": 2,
            ]))
    }

    private func no(_ code: String) -> FakeHomeserver.Answer {
        .response(HTTPResponse(status: 400, body: Array(#"{"error":"\#(code)"}"#.utf8)))
    }

    @Test("MSC4341: a person enters the code, and the session is kept; the questions come at the pace told")
    func works() async {
        offer()
        bench.server.next(
            "/oauth2/token", no("authorization_pending"), no("slow_down"),
            .ok(["access_token": "at", "refresh_token": "rt", "expires_in": 300]))
        let (task, said) = start()
        await bench.settle()
        #expect(said().first == "Open https://account.example.test/link as \(bot) and enter the code AB-CD")
        #expect(bench.server.requests("/oauth2/token").isEmpty)
        await bench.advance(by: .seconds(2))
        await bench.advance(by: .seconds(2))
        #expect(bench.server.requests("/oauth2/token").count == 2)
        await bench.advance(by: .seconds(6))
        #expect(bench.server.requests("/oauth2/token").count == 2)
        await bench.advance(by: .seconds(1))
        #expect(await task.value == "done")
        let session = bench.store.session(of: bot)
        #expect(session?.accessToken.value == "at" && session?.refreshToken?.value == "rt" && session?.clientID == "c7")
        let form = String(decoding: bench.server.requests("/oauth2/device").first?.body ?? [], as: UTF8.self)
        #expect(
            form
                == "client_id=c7&scope=urn%3Amatrix%3Aclient%3Aapi%3A%2A%20urn%3Amatrix%3Aclient%3Adevice%3AGIFBOTNNNNNNNN"
        )
        #expect(
            bench.lines.addedSecrets.contains(Secret("secretcode")) && bench.lines.addedSecrets.contains(Secret("rt")))
    }

    @Test(
        "What can go wrong is said in a sentence",
        arguments: [("access_denied", "said no"), ("expired_token", "ended"), ("server_error", "no token came")])
    func refused(code: String, words: String) async {
        offer()
        bench.server.next("/oauth2/token", no(code))
        let (task, _) = start()
        await bench.settle()
        await bench.advance(by: .seconds(2))
        #expect(await task.value.contains(words))
        #expect(bench.store.session(of: bot) == nil)
    }

    @Test("Nobody comes; the server is an old one; the config signs in by itself; it was somebody else")
    func others() async {
        let (old, _) = start()
        #expect(await old.value.contains("no OAuth 2.0"))
        let (configured, _) = start(passwordSettings())
        #expect(await configured.value.contains("take access_token or password out"))

        offer()
        bench.server.next("/oauth2/token", times: 100, no("authorization_pending"))
        let (nobody, _) = start()
        await bench.settle()
        for _ in 0..<31 { await bench.advance(by: .seconds(2)) }
        #expect(await nobody.value.contains("in time"))
    }
}
