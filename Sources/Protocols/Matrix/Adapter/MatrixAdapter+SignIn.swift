import Base
import HTTP
import Matrix

/// An account that works: whose it is, and a server that knows the token.
struct Access {
    let userID: String
    /// Nil for a token that belongs to none, as those of application services: without a device there are no keys.
    let deviceID: String?
    let server: Homeserver
    /// When the token should be renewed; nil for one without an end.
    var renewal: Instant?
}

extension MatrixAdapter {
    /// Tries until the account works. Nil when the task was cancelled, or when it came to a halt, which is logged then.
    func signIn() async -> Access? {
        guard let base = await findServer() else { return nil }
        let server = Homeserver(baseURL: base)
        guard let versions = await insist("asking for the server's versions", server.versions(), Replies.versions)
        else { return nil }
        guard versions.contains(where: { $0.hasPrefix("v1.") }) else {
            halt("the homeserver is too old: it doesn't speak v1.1 or later of the client-server API")
            return nil
        }
        switch settings.signIn {
        case .accessToken(let token): return await identify(server.with(accessToken: token.value))
        case .password(let password): return await resume(at: base, or: password)
        case .stored: return await resume(at: base, or: nil)
        }
    }

    /// The one in the config, or the one that the user's server names.
    private func findServer() async -> String? {
        if let given = settings.homeserver { return given }
        guard let user = settings.user, let request = WellKnown.request(for: user),
            let fallback = WellKnown.fallback(for: user)
        else {
            halt("no homeserver is given, and the user id names none")
            return nil
        }
        let found = await insist("looking for the homeserver", request, WellKnown.baseURL) { error in
            if case .transport(.redirectRefused) = error { .final } else { .usual }
        }
        return found.map { $0 ?? fallback }
    }

    /// Nothing is read before the account's own id is known: the bot would take its own words for another's.
    private func identify(_ server: Homeserver) async -> Access? {
        guard let identity = await insist("asking whose token it is", server.whoAmI(), Replies.whoAmI) else {
            return nil
        }
        return isExpected(identity.userID)
            ? Access(userID: identity.userID, deviceID: identity.deviceID, server: server) : nil
    }

    /// The device of an earlier start, if its token still holds or can be renewed; else a login, on the same device if there
    /// is one.
    private func resume(at base: String, or password: Secret?) async -> Access? {
        guard let stored = settings.user.flatMap(store.session(of:)) else {
            guard let password else {
                halt("the account isn't signed in yet: run gifbot login")
                return nil
            }
            return await logIn(password, deviceID: DeviceID.new(random), at: base)
        }
        for secret in stored.secrets { log.addSecret(secret) }
        if let access = await revive(stored, at: base) { return isExpected(access.userID) ? access : nil }
        guard !Task.isCancelled, haltReason == nil else { return nil }
        guard let password else {
            halt("the stored session is over: run gifbot login again")
            return nil
        }
        log.info("the stored session is over; logging in again", ["account": network])
        // A device that was logged out is gone, and its keys are put by; one whose token ran out is still there ("Soft logout").
        guard isDeviceGone else { return await logIn(password, deviceID: stored.deviceID, at: base) }
        isDeviceGone = false
        await closeEncryption()
        return await logIn(password, deviceID: DeviceID.new(random), at: base)
    }

    /// Nil too when only a new login helps.
    private func revive(_ stored: StoredSession, at base: String) async -> Access? {
        isDeviceGone = false
        let access = access(to: stored, at: base)
        let isFresh = access.renewal.map { clock.now < $0 } ?? true
        if isFresh {
            if let identity = await askForDevice(access) {
                return Access(
                    userID: identity.userID, deviceID: identity.deviceID ?? stored.deviceID, server: access.server,
                    renewal: access.renewal)
            }
            guard !Task.isCancelled, haltReason == nil else { return nil }
        }
        switch await renew(stored, at: base) {
        case .renewed(let access): return access
        case .ended: return nil
        case .impossible: break
        }
        // A refused refresh token may have been used before; the access token's refusal tells whether the device is there.
        if !isFresh { _ = await askForDevice(access) }
        return nil
    }

    /// Nil when the token is refused too; then `isDeviceGone` says whether a login may take the device over.
    private func askForDevice(_ access: Access) async -> Identity? {
        await insist("asking whose token it is", access.server.whoAmI(), Replies.whoAmI) { error in
            isDeviceGone = error.isTokenRefused && !error.isSoftLogout
            return error.isTokenRefused ? .handled : .usual
        }
    }

    private func logIn(_ password: Secret, deviceID: String, at base: String) async -> Access? {
        guard let user = settings.user else {
            halt("a password needs the full user id")
            return nil
        }
        let request = Homeserver(baseURL: base).logIn(
            user: user, password: password.value, deviceID: deviceID, deviceName: settings.deviceName)
        let login = await insist("logging in", request, Replies.logIn) { error in
            // A refused password doesn't get better by trying, and locks accounts.
            if case .refused = error, error.retry == .never { .final } else { .usual }
        }
        guard let login, isExpected(login.userID) else { return nil }
        let session = StoredSession(
            userID: login.userID, deviceID: login.deviceID, login.token, now: clock.wall)
        await keep(session)
        log.info("logged in", ["user": login.userID, "device": login.deviceID])
        return access(to: session, at: base)
    }

    private func isExpected(_ userID: String) -> Bool {
        guard let user = settings.user, user != userID else { return true }
        halt("the access token belongs to another user than the config names")
        return false
    }

    // MARK: Profile

    func showProfile() {
        guard let access else { return }
        work.start(.profile) { [weak self] in
            await self?.learnName(access)
            if !Task.isCancelled { await self?.showAvatar(access) }
        }
    }

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
