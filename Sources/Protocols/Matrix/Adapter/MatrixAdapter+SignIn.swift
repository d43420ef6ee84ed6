import Base
import HTTP
import Matrix

/// An account that works: whose it is, and a server that knows the token.
struct Access {
    let userID: String
    let server: Homeserver
}

extension MatrixAdapter {
    private var server: Homeserver { Homeserver(baseURL: settings.homeserver) }

    /// Tries until the account works. Nil when the task was cancelled, or when it came to a halt, which is logged then.
    func signIn() async -> Access? {
        guard let versions = await insist("asking for the server's versions", server.versions(), Replies.versions)
        else { return nil }
        guard versions.contains(where: { $0.hasPrefix("v1.") }) else {
            halt("the homeserver is too old: it doesn't speak v1.1 or later of the client-server API")
            return nil
        }
        switch settings.signIn {
        case .accessToken(let token): return await identify(token)
        case .password(let password): return await resume(or: password)
        }
    }

    /// Nothing is read before the account's own id is known (BUG-13).
    private func identify(_ token: Secret) async -> Access? {
        let server = server.with(accessToken: token.value)
        guard let identity = await insist("asking whose token it is", server.whoAmI(), Replies.whoAmI) else {
            return nil
        }
        return isExpected(identity.userID) ? Access(userID: identity.userID, server: server) : nil
    }

    /// The device of an earlier start, if its token still holds; else a login, on the same device if there is one.
    private func resume(or password: Secret) async -> Access? {
        guard let stored = settings.user.flatMap(store.session(of:)) else {
            return await logIn(password, deviceID: newDeviceID())
        }
        log.addSecret(stored.accessToken)
        let server = server.with(accessToken: stored.accessToken.value)
        // Over for good or for a while: with the password both end in the same way.
        let identity = await insist("asking whose token it is", server.whoAmI(), Replies.whoAmI) { error in
            error.isTokenRefused ? .handled : .usual
        }
        if let identity {
            return isExpected(identity.userID) ? Access(userID: identity.userID, server: server) : nil
        }
        guard !Task.isCancelled, haltReason == nil else { return nil }
        log.info("the stored session is over; logging in again", ["account": network])
        return await logIn(password, deviceID: stored.deviceID)
    }

    private func logIn(_ password: Secret, deviceID: String) async -> Access? {
        guard let user = settings.user else {
            halt("a password needs the full user id")
            return nil
        }
        let request = server.logIn(
            user: user, password: password.value, deviceID: deviceID, deviceName: settings.deviceName)
        let login = await insist("logging in", request, Replies.logIn) { error in
            // A refused password doesn't get better by trying, and locks accounts.
            if case .refused = error, error.retry == .never { .final } else { .usual }
        }
        guard let login, isExpected(login.userID) else { return nil }
        let token = Secret(login.accessToken)
        log.addSecret(token)
        store.save(
            session: StoredSession(userID: login.userID, deviceID: login.deviceID, accessToken: token), of: user)
        log.info("logged in", ["user": login.userID, "device": login.deviceID])
        return Access(userID: login.userID, server: server.with(accessToken: login.accessToken))
    }

    private func isExpected(_ userID: String) -> Bool {
        guard let user = settings.user, user != userID else { return true }
        halt("the access token belongs to another user than the config names")
        return false
    }

    private func newDeviceID() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        let tail = (0..<8).map { _ in letters[min(Int(random() * 26), 25)] }
        return "GIFBOT" + String(tail)
    }

    // MARK: Profile

    /// The name is needed to tell when somebody calls the bot. Failing is no reason to stop.
    func learnName(_ access: Access) async {
        let known = await calls(access.server.displayName(of: access.userID), Replies.displayName)
        guard !Task.isCancelled else { return }
        if case .success(let name) = known { displayName = name }
        guard let wanted = settings.displayName, wanted != displayName else { return }
        let set = await calls(access.server.setDisplayName(wanted, of: access.userID), Replies.done)
        switch set {
        case .success: displayName = wanted
        case .failure(let error):
            log.warning("the display name can't be set", ["reason": error.text])
        }
    }
}
