import JSON

/// The account's own identity: three keys made once, given to the server, and this device signed by them.
///
/// What is to be done is found out by asking the server, at each start and whenever the account's own keys changed; so it goes on
/// rightly from wherever a killed program stopped. Keys of others' making are never replaced.
final class CrossSigning: CryptoPart {
    /// After a refusal.
    private static let pause: Int64 = 3_600_000
    /// A device that isn't signed by its account after so many attempts is told.
    private static let mostRounds = 3

    private enum Step {
        /// Nobody knows: the server is to be asked.
        case due
        /// A call is under way.
        case busy
        /// Secret storage is being read.
        case restoring
        case settled
        /// Refused: asked again then.
        case resting(until: Int64)
    }

    private let context: CryptoContext
    private let account: OwnAccount
    private let storage: SecretStorage
    private let vault: SecretVault
    private let tracker: DeviceTracker
    private var keys: CrossSigningKeys? {
        didSet { if let keys { tracker.holds(keys.identity) } }
    }
    private var step = Step.due
    private var rounds = 0
    private var wasMade = false
    /// The server wanted a password, and whether it has an identity by now is being asked.
    private var needsPassword = false
    private var told: CheckedIdentity?
    /// Told once.
    private var said: Set<String> = []
    private var notices: [CryptoNotice] = []
    private(set) var status = IdentityStatus.unknown

    init(
        _ context: CryptoContext, _ account: OwnAccount, storage: SecretStorage, vault: SecretVault,
        tracker: DeviceTracker
    ) throws(CryptoError) {
        self.context = context
        self.account = account
        self.storage = storage
        self.vault = vault
        self.tracker = tracker
        tracker.keepsIdentity = true
        if let seeds = try vault.read(CrossSigningSeeds.storeName).flatMap(CrossSigningSeeds.init(stored:)) {
            let keys = try CrossSigningKeys(seeds, of: context.userID, driver: context.driver)
            self.keys = keys
            // No observer sees what an initializer sets.
            tracker.holds(keys.identity)
            storage.seeds = seeds
        }
    }

    /// Once the server has it, and this device is signed by its account.
    var masterKey: String? { status == .signed ? keys?.master.publicKey : nil }

    /// The account's own keys or devices changed.
    func changed() {
        if case .settled = step {
            step = .due
            rounds = 0
        }
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        // Signatures are for keys that the server has.
        guard account.isUploaded else { return }
        switch step {
        case .busy, .settled: return
        case .resting(let until) where now < until: return
        case .restoring:
            guard let outcome = storage.takeOutcome() else { return }
            try restored(outcome)
        case .due, .resting:
            step = .busy
            context.calls.add(.queryKeys(users: [context.userID]), for: self)
        }
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        switch call {
        case .queryKeys: try compare(body, now: now)
        case .uploadCrossSigning:
            wasMade = true
            step = .due
        case .uploadSignatures:
            if let failure = Self.failure(body) {
                refused(failure.errcode, failure.text, now: now)
            } else {
                step = .due
            }
        case .uploadKeys, .keyChanges, .claimKeys, .toDevice, .accountData, .setAccountData: break
        }
        return takeNotices()
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        switch failure {
        case .transient: step = .due
        case .refused(let errcode, let text): refused(errcode, text, now: now)
        case .needsAuthentication:
            // Many servers want it only for replacing an identity: there may be one by now.
            needsPassword = true
            step = .due
        }
    }

    var nextDeadline: Int64? {
        if case .resting(let until) = step { until } else { nil }
    }

    func takeNotices() -> [CryptoEvent] {
        defer { notices = [] }
        return notices.map(CryptoEvent.notice)
    }

    // MARK: What the server has

    private func compare(_ body: JSONValue, now: Int64) throws(CryptoError) {
        rounds += 1
        let isPasswordMissing = needsPassword
        needsPassword = false
        guard body["master_keys"]?[context.userID] != nil else {
            if isPasswordMissing {
                status = .refused
                step = .resting(until: now + Self.pause)
                rounds = 0
                return say(.identityNeedsPassword)
            }
            if keys == nil { try makeSeeds() }
            guard rounds <= Self.mostRounds else {
                return refused("M_UNKNOWN", "it forgot them", now: now)
            }
            return try upload()
        }
        let identity = CheckedIdentity(body, of: context.userID, driver: context.driver)
        guard let identity, let keys, keys.match(identity) else {
            told = identity
            return startRestoring()
        }
        let device = body["device_keys"]?[context.userID]?[context.deviceID]
        let missing = try missingSignatures(identity, device: device, keys)
        guard !missing.isEmpty else { return settled() }
        guard rounds <= Self.mostRounds else {
            return refused("M_UNKNOWN", "its signature is not told", now: now)
        }
        step = .busy
        let members = missing.map { JSONObject.Member($0.name, .object($0.object)) }
        context.calls.add(
            .uploadSignatures(.object(JSONObject([.init(context.userID, .object(JSONObject(members)))]))), for: self)
    }

    private func settled() {
        if wasMade { say(.identityMade) }
        if status != .signed { say(.deviceSigned) }
        status = .signed
        step = .settled
        storage.isDue = true
    }

    /// Saved before they are uploaded.
    private func makeSeeds() throws(CryptoError) {
        guard let seeds = CrossSigningSeeds((0..<3).map { _ in context.random(32) }) else { return }
        try keep(seeds)
    }

    private func keep(_ seeds: CrossSigningSeeds) throws(CryptoError) {
        keys = try CrossSigningKeys(seeds, of: context.userID, driver: context.driver)
        try vault.write(seeds.all.flatMap(\.self), as: CrossSigningSeeds.storeName)
        storage.seeds = seeds
    }

    private func upload() throws(CryptoError) {
        guard let keys else { return }
        step = .busy
        context.calls.add(
            .uploadCrossSigning([
                "master_key": .object(try account.signed(keys.masterObject)),
                "self_signing_key": .object(try keys.selfSigningObject()),
                "user_signing_key": .object(try keys.userSigningObject()),
            ]), for: self)
    }

    /// The device by the self-signing key, the master key by the device; both as the server has them.
    private func missingSignatures(
        _ identity: CheckedIdentity, device: JSONValue?, _ keys: CrossSigningKeys
    ) throws(CryptoError) -> [(name: String, object: JSONObject)] {
        var missing: [(name: String, object: JSONObject)] = []
        let own = try account.deviceKeys()
        let signed = try keys.signed(own, by: keys.selfSigning)
        let keyID = "ed25519:" + keys.selfSigning.publicKey
        if let signature = signed["signatures"]?[context.userID]?[keyID]?.string {
            account.otherSignatures = [(keyID: keyID, signature: signature)]
        }
        let isSigned = device?.object.map {
            SignedJSON.isSigned(
                $0, by: context.userID, keyID: keyID, key: keys.selfSigning.publicKey, driver: context.driver)
        }
        if isSigned != true { missing.append((context.deviceID, signed)) }
        // The device signs what was made here alone, never what a server put together. A master key that is written in another
        // way stays without its signature, which is no loss: the device is signed by the identity.
        let master = keys.masterObject
        guard SignedJSON.bytes(identity.master) == SignedJSON.bytes(master) else { return missing }
        let isMasterSigned = SignedJSON.isSigned(
            identity.master, by: context.userID, keyID: account.keyID, key: account.identityKeys.ed25519,
            driver: context.driver)
        if !isMasterSigned { missing.append((keys.master.publicKey, try account.signed(master))) }
        return missing
    }

    private func refused(_ errcode: String, _ text: String, now: Int64) {
        status = .refused
        step = .resting(until: now + Self.pause)
        rounds = 0
        needsPassword = false
        say(.identityRefused(errcode: errcode, text: text))
    }

    /// What the body of a 200 says of signatures that weren't taken.
    private static func failure(_ body: JSONValue) -> (errcode: String, text: String)? {
        for user in body["failures"]?.object?.members ?? [] {
            for failure in user.value.object?.members ?? [] {
                return (failure.value["errcode"]?.string ?? "M_UNKNOWN", failure.value["error"]?.string ?? "no reason")
            }
        }
        return nil
    }

    // MARK: Keys of an earlier device, or of somebody else

    private func startRestoring() {
        guard storage.canRestore else {
            status = .foreign
            step = .settled
            return say(.recoveryKeyNeeded)
        }
        step = .restoring
        storage.restore()
    }

    private func restored(_ outcome: SecretStorage.Outcome) throws(CryptoError) {
        switch outcome {
        case .seeds(let seeds):
            let found = try CrossSigningKeys(seeds, of: context.userID, driver: context.driver)
            guard let told, found.match(told) else {
                return stopRestoring("secret storage holds other keys than the account has")
            }
            try keep(seeds)
            say(.identityRestored)
            step = .due
            rounds = 0
            try makeCalls(now: 0)
        case .failure(let reason): stopRestoring(reason)
        }
    }

    private func stopRestoring(_ reason: String) {
        status = .foreign
        step = .settled
        say(.recoveryKeyUnfit(reason))
    }

    private func say(_ notice: CryptoNotice) {
        if said.insert(notice.text).inserted { notices.append(notice) }
    }
}
