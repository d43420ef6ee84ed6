public import Base
public import HTTP
import Matrix

/// Why `gifbot login` didn't work, for the person at the terminal.
public struct DeviceLoginError: Error, Equatable, Sendable {
    public let text: String
}

/// What the program is called where a person has to agree to it.
public struct ClientName: Sendable {
    public let name: String
    /// `https:`.
    public let website: String

    public init(name: String, website: String) {
        self.name = name
        self.website = website
    }
}

/// Signs a device in on a homeserver with OAuth 2.0: a person opens a page, enters a code and agrees (device authorization grant,
/// RFC 8628 and MSC4341). The session is kept in the store, where the account finds it.
@Loop public final class DeviceLogin {
    /// Where no answer comes, the wait between two questions is doubled (RFC 8628 section 3.5), up to this.
    private static let longestInterval: Duration = .minutes(5)

    private let settings: MatrixAccountSettings
    private let client: ClientName
    private let calls: Calls
    private let clock: any LoopClock
    private let store: any MatrixStore
    private let log: Log
    private let random: () -> Double

    /// `random` gives numbers in 0..<1.
    public init(
        _ settings: MatrixAccountSettings, as client: ClientName, http: any HTTPClient, clock: any LoopClock,
        store: any MatrixStore, log: Log, random: @escaping () -> Double
    ) {
        self.settings = settings
        self.client = client
        calls = Calls(http: http)
        self.clock = clock
        self.store = store
        self.log = log
        self.random = random
    }

    /// Returns when the session is on disk. `tell` gets what the person has to do.
    public func run(tell: (String) -> Void) async throws(DeviceLoginError) {
        guard case .stored = settings.signIn, let user = settings.user else {
            throw DeviceLoginError(
                text: "\(settings.name) signs in with what the config gives; take access_token or password out first")
        }
        let base = try await findServer(for: user)
        let oauth = try await metadata(of: base)
        guard let registration = oauth.registrationEndpoint, let endpoint = oauth.deviceEndpoint else {
            throw DeviceLoginError(text: "the homeserver lets no program be signed in like this; use an access_token")
        }
        let clientID = try await ask(
            oauth.registration(at: registration, name: client.name, website: client.website), Replies.clientID,
            "the program can't be registered")
        let deviceID = store.session(of: user)?.deviceID ?? DeviceID.new(random)
        let code = try await ask(
            oauth.deviceCode(at: endpoint, clientID: clientID, deviceID: deviceID), DeviceCode.decode,
            "the homeserver gives no code")
        log.addSecret(Secret(code.deviceCode))
        tell("Open \(code.page) as \(user) and enter the code \(code.userCode)")
        if let page = code.completePage { tell("or open \(page)") }
        let token = try await waitForToken(code, oauth, clientID)
        try await keep(token, user: user, clientID: clientID, base: base)
    }

    private func findServer(for user: String) async throws(DeviceLoginError) -> String {
        if let given = settings.homeserver { return given }
        guard let request = WellKnown.request(for: user), let fallback = WellKnown.fallback(for: user) else {
            throw DeviceLoginError(text: "no homeserver is given, and the user id names none")
        }
        return try await ask(request, WellKnown.baseURL, "the homeserver can't be found") ?? fallback
    }

    private func metadata(of base: String) async throws(DeviceLoginError) -> OAuthServer {
        switch await calls(Homeserver(baseURL: base).authMetadata(), OAuthServer.decode) {
        case .success(let oauth): return oauth
        case .failure(.refused(let refusal)) where refusal.status == 404:
            throw DeviceLoginError(
                text: "the homeserver has no OAuth 2.0; give access_token or password in the config instead")
        case .failure(let error):
            throw DeviceLoginError(text: "the homeserver doesn't tell how it signs in: \(error.text)")
        }
    }

    private func waitForToken(
        _ code: DeviceCode, _ oauth: OAuthServer, _ clientID: String
    ) async throws(DeviceLoginError) -> FreshToken {
        let end = clock.now + code.lifetime
        var interval = code.interval
        let request = oauth.token(deviceCode: code.deviceCode, clientID: clientID)
        while clock.now + interval <= end {
            await clock.sleep(for: interval)
            if Task.isCancelled { break }
            switch await calls(request, Replies.oauthToken) {
            case .success(let token): return token
            case .failure(let error):
                switch error.oauthCode {
                case "authorization_pending": continue
                case "slow_down": interval = min(interval + .seconds(5), Self.longestInterval)
                case "access_denied": throw DeviceLoginError(text: "the person at the page said no")
                case "expired_token": throw DeviceLoginError(text: "the code has ended; run gifbot login again")
                case .some: throw DeviceLoginError(text: "no token came: \(error.text)")
                case nil:
                    guard error.retry != .never else { throw DeviceLoginError(text: "no token came: \(error.text)") }
                    interval = min(interval * 2, Self.longestInterval)
                }
            }
        }
        throw DeviceLoginError(
            text: Task.isCancelled ? "stopped" : "nobody agreed in time; run gifbot login again")
    }

    private func keep(
        _ token: FreshToken, user: String, clientID: String, base: String
    ) async throws(DeviceLoginError) {
        log.addSecret(Secret(token.accessToken))
        if let refresh = token.refreshToken { log.addSecret(Secret(refresh)) }
        let identity = try await ask(
            Homeserver(baseURL: base, accessToken: token.accessToken).whoAmI(), Replies.whoAmI,
            "the homeserver doesn't know its own token")
        guard identity.userID == user else {
            throw DeviceLoginError(text: "that was \(identity.userID), but the config says \(user)")
        }
        guard let deviceID = identity.deviceID else { throw DeviceLoginError(text: "the homeserver made no device") }
        store.save(
            session: StoredSession(
                userID: user, deviceID: deviceID, token, clientID: clientID, now: clock.wall), of: user)
        guard await store.written() else {
            throw DeviceLoginError(text: "the session can't be stored in the state folder")
        }
    }

    private func ask<Output: Sendable>(
        _ request: HTTPRequest, _ decode: @escaping @Sendable (HTTPResponse) -> Result<Output, MatrixError>,
        _ trouble: String
    ) async throws(DeviceLoginError) -> Output {
        switch await calls(request, decode) {
        case .success(let output): return output
        case .failure(let error): throw DeviceLoginError(text: "\(trouble): \(error.text)")
        }
    }
}

enum DeviceID {
    /// Ten characters or more ("Scope" of OAuth 2.0), and a name that people recognise in their list of devices.
    static func new(_ random: () -> Double) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        return "GIFBOT" + String((0..<8).map { _ in letters[min(Int(random() * 26), 25)] })
    }
}
