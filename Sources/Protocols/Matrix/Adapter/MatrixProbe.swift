import Base
public import Chat
public import HTTP
public import JSON
import Matrix
import MatrixCrypto

/// Tries an account without taking part in anything: the server, the login, and which of the rooms the account is in.
public struct MatrixProbe: Sendable {
    /// Judges what the server tells of the account's keys; the device is nil where another one than the bot's own is signed in.
    public typealias Look = @Sendable (_ answer: JSONValue, _ user: String, _ device: String?) -> Finding

    private static let device = "GIFBOTCHECK"

    private let settings: MatrixAccountSettings
    private let calls: Calls
    private let lookAtKeys: Look?

    public init(_ settings: MatrixAccountSettings, http: any HTTPClient, lookAtKeys: Look? = nil) {
        self.settings = settings
        self.lookAtKeys = lookAtKeys
        calls = Calls(http: http)
    }

    /// A password is tried by a login that is ended at once.
    public func findings() async -> [Finding] {
        guard let base = await base() else { return [Finding(isGood: false, "the homeserver isn't found")] }
        let server = Homeserver(baseURL: base)
        switch await calls(server.versions(), Replies.versions) {
        case .failure(let error): return [Finding(isGood: false, "no answer of the homeserver: \(error.text)")]
        case .success(let versions):
            guard versions.contains(where: { $0.hasPrefix("v1.") }) else {
                return [Finding(isGood: false, "the homeserver is too old: it doesn't speak v1.1 or later")]
            }
        }
        switch settings.signIn {
        case .accessToken(let token):
            return await signedIn(server.with(accessToken: token.value), "the token is good")
        case .stored: return [Finding(isGood: true, "the homeserver answers; the session of gifbot login isn't tried")]
        case .password(let password):
            let request = server.logIn(
                user: settings.user ?? "", password: password.value, deviceID: Self.device,
                deviceName: settings.deviceName)
            switch await calls(request, Replies.logIn) {
            case .failure(let error): return [Finding(isGood: false, "can't log in: \(error.text)")]
            case .success(let login):
                let session = server.with(accessToken: login.token.accessToken)
                let findings = await signedIn(session, "the password is good")
                _ = await calls(session.logOut(), Replies.done)
                return findings
            }
        }
    }

    private func base() async -> String? {
        if let given = settings.homeserver { return given }
        guard let user = settings.user, let request = WellKnown.request(for: user) else { return nil }
        guard case .success(let found) = await calls(request, WellKnown.baseURL) else { return nil }
        return found ?? WellKnown.fallback(for: user)
    }

    private func signedIn(_ server: Homeserver, _ words: String) async -> [Finding] {
        switch await calls(server.whoAmI(), Replies.whoAmI) {
        case .failure(let error): return [Finding(isGood: false, "can't sign in: \(error.text)")]
        case .success(let identity):
            if let user = settings.user, user != identity.userID {
                return [Finding(isGood: false, "the access token belongs to \(identity.userID)")]
            }
            var findings = [Finding(isGood: true, "\(words), as \(identity.userID)")]
            if settings.encryption, let lookAtKeys {
                var device: String?
                if case .accessToken = settings.signIn { device = identity.deviceID }
                findings.append(await keys(server, of: identity.userID, device: device, lookAtKeys))
            }
            for room in settings.rooms { findings.append(await look(at: room, server, as: identity.userID)) }
            return findings
        }
    }

    private func keys(_ server: Homeserver, of user: String, device: String?, _ look: Look) async -> Finding {
        if device == nil, case .accessToken = settings.signIn {
            return Finding(
                isGood: false, "encryption: the access token belongs to no device, so encrypted rooms can't be read")
        }
        let request = server.call(.queryKeys(users: [user]), of: user)
        switch await calls(request, CryptoAnswer.decode) {
        case .success(.body(let answer)): return look(answer, user, device)
        case .success(.needsAuthentication):
            return Finding(isGood: false, "encryption: the server doesn't tell the account's keys")
        case .failure(let error):
            return Finding(isGood: false, "encryption: the server doesn't tell the account's keys: \(error.text)")
        }
    }

    private func look(at room: String, _ server: Homeserver, as user: String) async -> Finding {
        var id = room
        if MatrixID.isAlias(room) {
            switch await calls(server.room(ofAlias: room), Replies.room) {
            case .failure(let error): return Finding(isGood: false, "\(room): no such room: \(error.text)")
            case .success(let found): id = found
            }
        }
        switch await calls(server.membership(of: user, in: id), Replies.membership) {
        case .success("join"): return Finding(isGood: true, "\(room): the account is in it")
        case .success("ban"): return Finding(isGood: false, "\(room): the account is banned from it")
        case .success, .failure: return Finding(isGood: true, "\(room): not in it yet; gifbot run tries to enter")
        }
    }
}
