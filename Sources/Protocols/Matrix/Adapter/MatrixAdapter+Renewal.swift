import Base
import HTTP
import Matrix

/// What came of getting a new token with the refresh token.
enum Renewal {
    case renewed(Access)
    /// There is nothing to refresh with, or the server doesn't take it.
    case impossible
    /// Cancelled meanwhile, or halted.
    case ended
}

/// Access tokens that end: renewed in time, or when the server says that they have ended ("Refreshing access tokens").
extension MatrixAdapter {
    /// Long enough for a slow renewal, short against the life of the token.
    private static func margin(of lifetime: Duration) -> Duration { min(.seconds(60), lifetime / 5) }

    func access(to session: StoredSession, at base: String) -> Access {
        let server = Homeserver(baseURL: base, accessToken: session.accessToken.value)
        guard let expires = session.expires, session.refreshToken != nil else {
            return Access(userID: session.userID, deviceID: session.deviceID, server: server, renewal: nil)
        }
        let left = Duration.milliseconds(max(0, expires.milliseconds - clock.wall.milliseconds))
        return Access(
            userID: session.userID, deviceID: session.deviceID, server: server,
            renewal: clock.now + left - Self.margin(of: left))
    }

    /// The old pair lives until the new one is used, so the new one is on disk before that.
    func renew(_ stored: StoredSession, at base: String) async -> Renewal {
        guard let refreshToken = stored.refreshToken else { return .impossible }
        let fresh: FreshToken?
        if let clientID = stored.clientID {
            fresh = await refreshed(refreshToken, as: clientID, at: base)
        } else {
            let request = Homeserver(baseURL: base).refresh(refreshToken.value)
            fresh = await insist("renewing the access token", request, Replies.refreshed, role: Self.role)
        }
        guard !Task.isCancelled, haltReason == nil else { return .ended }
        guard let fresh else { return .impossible }
        let session = StoredSession(
            userID: stored.userID, deviceID: stored.deviceID, fresh, previous: refreshToken, clientID: stored.clientID,
            now: clock.wall)
        await keep(session)
        return Task.isCancelled ? .ended : .renewed(access(to: session, at: base))
    }

    func keep(_ session: StoredSession) async {
        for secret in session.secrets { log.addSecret(secret) }
        store.save(session: session, of: settings.user ?? session.userID)
        if await !store.written() {
            log.warning("the new access token can't be stored now", ["account": network])
        }
    }

    private func refreshed(_ token: Secret, as clientID: String, at base: String) async -> FreshToken? {
        let request = Homeserver(baseURL: base).authMetadata()
        guard
            let oauth = await insist(
                "asking how the server signs in", request, OAuthServer.decode, role: Self.role)
        else { return nil }
        return await insist(
            "renewing the access token", oauth.token(refreshing: token.value, clientID: clientID), Replies.oauthToken,
            role: Self.role)
    }

    /// A refused refresh token stays refused; an account that is shut is told as such.
    private static func role(_ error: MatrixError) -> ErrorRole {
        if error.isAccountShut { return .final }
        guard case .refused = error, error.retry == .never else { return .usual }
        return .handled
    }
}

extension StoredSession {
    init(
        userID: String, deviceID: String, _ token: FreshToken, previous: Secret? = nil, clientID: String? = nil,
        now: WallTime
    ) {
        self.init(
            userID: userID, deviceID: deviceID, accessToken: Secret(token.accessToken),
            refreshToken: token.refreshToken.map { Secret($0) } ?? previous,
            expires: token.lifetime.map { now.advanced(by: $0) }, clientID: clientID)
    }
}
