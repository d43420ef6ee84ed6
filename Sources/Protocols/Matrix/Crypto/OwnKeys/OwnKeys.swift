import JSON

/// Looks that the homeserver has this device's keys, enough one-time keys and an unused fallback key.
///
/// At each start it first asks the server whose keys it has: with others than ours the store was lost or swapped, and
/// nothing is uploaded. What is uploaded was saved before; what the server has already ("already exists", after a crash
/// between upload and answer) is taken as uploaded once the identity was compared again.
final class OwnKeys: CryptoPart {
    /// One-time keys that should lie on the server.
    static let wanted = 50
    /// Fewer are topped up; so not each claim costs an upload.
    private static let enough = 45
    private static let firstPause: Int64 = 60_000
    private static let longestPause: Int64 = 3_600_000

    private let context: CryptoContext
    private let account: OwnAccount
    private(set) var status = OwnKeysStatus.unknown
    private var fallback = FallbackTimes()
    /// On the server, as far as it told; nil before the first sync or upload.
    private var count: Int?
    /// Syncs may be answered out of a cache that is minutes old (to a start that repeats one). Whoever made new keys for a
    /// count of then would push those out of the account that the server still gives away, so a low one is asked for again by
    /// an upload of nothing, whose answer is of now.
    private var isCountSure = false
    private var isCountDoubtful = false
    /// What syncs say of the count just after an upload may be from before it.
    private var ignoresNextCount = false
    private var fallbackIsUsed = false
    private var isAsking = false
    private var isUploading = false
    private var refusals = 0
    private var notBefore: Int64 = 0

    init(_ context: CryptoContext, _ account: OwnAccount) throws(CryptoError) {
        self.context = context
        self.account = account
        fallback = FallbackTimes(stored: try context.value(of: FallbackTimes.name))
    }

    func received(counts: [String: Int], unusedFallbackTypes: [String]?) {
        let told = min(max(counts[KeyUpload.algorithm] ?? 0, 0), 1_000)
        if !ignoresNextCount || told > count ?? 0 { count = told }
        ignoresNextCount = false
        isCountSure = false
        if let unusedFallbackTypes { fallbackIsUsed = !unusedFallbackTypes.contains(KeyUpload.algorithm) }
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        forgetOldFallback(now: now)
        guard now >= notBefore else { return }
        notBefore = 0
        switch status {
        case .other: return
        case .unknown:
            guard !isAsking else { return }
            isAsking = true
            context.calls.add(.queryKeys(users: [context.userID]), for: self)
        case .same:
            guard !isUploading else { return }
            try makeKeys(now: now)
            let upload = try KeyUpload(account)?.body
            guard let body = upload ?? (isCountDoubtful ? [:] : nil) else { return }
            isUploading = true
            context.calls.add(.uploadKeys(body), for: self)
        }
    }

    private func makeKeys(now: Int64) throws(CryptoError) {
        let unpublished = try olm { () throws(OlmError) in try account.keys.unpublishedOneTimeKeys() }.count
        // Before the first sync nobody knows how many there are, except for a device that is new.
        let onServer = count ?? (account.isUploaded ? Self.wanted : 0)
        let most = min(Self.wanted, account.keys.maximumOneTimeKeys / 2)
        isCountDoubtful = onServer < min(Self.enough, most) && unpublished == 0 && account.isUploaded && !isCountSure
        if onServer < min(Self.enough, most), unpublished == 0, !isCountDoubtful {
            try olm { () throws(OlmError) in try account.keys.generateOneTimeKeys(most - onServer) }
            account.changed()
        }
        let isFirst = !account.isUploaded && fallback.exchanged == nil
        guard isFirst || (fallbackIsUsed && fallback.mayExchange(now: now)),
            try olm({ () throws(OlmError) in try account.keys.unpublishedFallbackKey() }) == nil
        else { return }
        try olm { () throws(OlmError) in try account.keys.generateFallbackKey() }
        account.changed()
        if !isFirst { fallback.forgetAt = now + FallbackTimes.grace }
        fallback.exchanged = now
        context.changes.values[FallbackTimes.name] = .some(fallback.stored)
    }

    private func forgetOldFallback(now: Int64) {
        guard let forgetAt = fallback.forgetAt, now >= forgetAt else { return }
        account.keys.forgetOldFallbackKey()
        account.changed()
        fallback.forgetAt = nil
        context.changes.values[FallbackTimes.name] = .some(fallback.stored)
    }

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        if case .queryKeys = call {
            isAsking = false
            compare(body)
        } else {
            isUploading = false
            refusals = 0
            isCountDoubtful = false
            if call != .uploadKeys([:]) { published() }
            isCountSure = true
            if let told = body["one_time_key_counts"]?[KeyUpload.algorithm]?.integer {
                count = Int(min(max(told, 0), 1_000))
                ignoresNextCount = true
            }
        }
        return []
    }

    private func published() {
        account.keys.markKeysAsPublished()
        account.isUploaded = true
        fallbackIsUsed = false
    }

    /// What the server says of this device. It may have none of its keys: a new device, or one whose keys were never uploaded.
    private func compare(_ body: JSONValue) {
        let told = body["device_keys"]?[context.userID]?[context.deviceID]?["keys"]
        guard let told, told.object?.members.isEmpty == false else {
            status = .same
            if account.isUploaded { account.isUploaded = false }
            return
        }
        let isOurs =
            told[account.keyID]?.string == account.identityKeys.ed25519
            && told["curve25519:" + context.deviceID]?.string == account.identityKeys.curve25519
        status = isOurs ? .same : .other
        if isOurs, !account.isUploaded { account.isUploaded = true }
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        if case .queryKeys = call {
            isAsking = false
            return pause(now: now)
        }
        isUploading = false
        // The server has other keys under these ids ("already exists"): ours were uploaded and the answer was lost, or the
        // store is an older one. Those it has can't be taken back, so new ids come next, if the device is still this one.
        if case .refused("M_UNKNOWN", _) = failure {
            account.keys.markKeysAsPublished()
            account.changed()
            status = .unknown
            // An older store has several batches of ids to get past.
            return pause(now: now, after: 4)
        }
        pause(now: now)
    }

    /// The first refusals cost nothing, so what a crash left is mended at once.
    private func pause(now: Int64, after free: Int = 1) {
        refusals += 1
        guard refusals > free else { return }
        notBefore = now + min(Self.firstPause << Int64(min(refusals - free - 1, 6)), Self.longestPause)
    }

    var nextDeadline: Int64? {
        var deadlines: [Int64] = []
        if let forgetAt = fallback.forgetAt { deadlines.append(forgetAt) }
        if notBefore > 0, status != .other { deadlines.append(notBefore) }
        if fallbackIsUsed, status == .same, !isUploading, let exchanged = fallback.exchanged {
            deadlines.append(max(exchanged + FallbackTimes.grace, notBefore))
        }
        return deadlines.min()
    }
}
