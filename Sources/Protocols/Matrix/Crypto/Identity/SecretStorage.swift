import JSON

/// The account's identity in its secret storage, encrypted under a recovery key ("Secret storage"): so that an operator can
/// log in as the bot, and a new machine can sign itself.
///
/// Made once. What is there already and isn't ours stays as it is.
final class SecretStorage: CryptoPart {
    enum Outcome: Equatable {
        case seeds(CrossSigningSeeds)
        /// Why not, in words.
        case failure(String)
    }

    /// "made" or "taken" once that is settled.
    private static let doneName = "secret_storage.done"
    /// The key and its name while it is being made.
    private static let keyName = "secret_storage.key"
    private static let defaultKey = "m.secret_storage.default_key"
    private static let algorithm = "m.secret_storage.v1.aes-hmac-sha2"

    private struct Making {
        let id: String
        let key: [UInt8]
        var secrets: [String: JSONObject] = [:]
        /// To be put, one after the other.
        var puts: [(type: String, content: JSONObject)] = []
    }

    private struct Reading {
        let key: RecoveryKey
        var id: String?
        var seeds: [[UInt8]] = []
    }

    private enum Job {
        case looking
        case making(Making)
        case reading(Reading)
    }

    private let context: CryptoContext
    private let equipment: IdentityEquipment
    private let vault: SecretVault
    private var job: Job?
    private var isAsked = false
    private var outcome: Outcome?
    private var isDone: Bool
    private var notices: [CryptoNotice] = []
    var seeds: CrossSigningSeeds?
    /// The identity stands, so it can be kept.
    var isDue = false

    init(_ context: CryptoContext, _ equipment: IdentityEquipment, vault: SecretVault) throws(CryptoError) {
        self.context = context
        self.equipment = equipment
        self.vault = vault
        isDone = try context.value(of: Self.doneName) != nil
    }

    var canRestore: Bool { equipment.recoveryKey != nil }

    /// Reads the seeds with the operator's recovery key; `takeOutcome` tells what came of it.
    func restore() {
        outcome = nil
        guard let key = equipment.recoveryKey.flatMap({ RecoveryKey($0) }) else {
            outcome = .failure("it has a typing error in it")
            return
        }
        job = .reading(Reading(key: key))
        isAsked = false
    }

    func takeOutcome() -> Outcome? {
        defer { outcome = nil }
        return outcome
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        guard !isAsked else { return }
        if job == nil {
            guard isDue, !isDone, seeds != nil else { return }
            job = .looking
        }
        guard let call = nextCall() else { return }
        isAsked = true
        context.calls.add(call, for: self)
    }

    private func nextCall() -> CryptoRequest.Call? {
        switch job {
        case nil: return nil
        case .looking: return .accountData(type: Self.defaultKey)
        case .making(let making):
            if let missing = CrossSigningSeeds.names.first(where: { making.secrets[$0] == nil }) {
                return .accountData(type: missing)
            }
            return making.puts.first.map { .setAccountData(type: $0.type, .object($0.content)) }
        case .reading(let reading):
            guard let id = reading.id else { return .accountData(type: Self.defaultKey) }
            if reading.seeds.isEmpty, !isKeyChecked { return .accountData(type: "m.secret_storage.key." + id) }
            return .accountData(type: CrossSigningSeeds.names[reading.seeds.count])
        }
    }

    private var isKeyChecked = false

    func answered(_ call: CryptoRequest.Call, id: UInt64, _ body: JSONValue, now: Int64) throws(CryptoError)
        -> [CryptoEvent]
    {
        isAsked = false
        switch call {
        case .accountData(let type): try got(type, body)
        case .setAccountData: try put()
        case .uploadKeys, .queryKeys, .keyChanges, .claimKeys, .toDevice, .uploadCrossSigning, .uploadSignatures: break
        }
        return takeNotices()
    }

    func failed(_ call: CryptoRequest.Call, id: UInt64, _ failure: CryptoFailure, now: Int64) throws(CryptoError) {
        isAsked = false
        if case .accountData(let type) = call, case .refused("M_NOT_FOUND", _) = failure {
            return try got(type, .object(JSONObject()))
        }
        if case .reading = job { return end(.failure("the homeserver refused to give it")) }
        // Tried again at the next start.
        job = nil
        isDue = false
    }

    var nextDeadline: Int64? { nil }

    func takeNotices() -> [CryptoEvent] {
        defer { notices = [] }
        return notices.map(CryptoEvent.notice)
    }

    private func got(_ type: String, _ content: JSONValue) throws(CryptoError) {
        switch job {
        case nil: return
        case .looking: try found(defaultKey: content["key"]?.string)
        case .making(var making):
            making.secrets[type] = content.object ?? JSONObject()
            if making.secrets.count == CrossSigningSeeds.names.count { try prepare(&making) }
            job = .making(making)
        case .reading(let reading): read(type, content, reading)
        }
    }

    // MARK: Making

    private func found(defaultKey: String?) throws(CryptoError) {
        let ours = try vault.read(Self.keyName).flatMap(Self.key)
        if let defaultKey, !defaultKey.isEmpty {
            guard let ours, ours.id == defaultKey else {
                notices.append(.secretStorageTaken)
                return try done("taken")
            }
            // Everything was put, and only the note of it is missing.
            return try done("made")
        }
        let made = ours ?? (id: name(), key: context.random(SecretCipher.keyLength))
        guard let recoveryKey = RecoveryKey(made.key) else { return }
        try vault.write(Array(made.id.utf8) + made.key, as: Self.keyName)
        try context.save()
        try equipment.keepRecoveryKey(recoveryKey.text)
        notices.append(.recoveryKeyMade)
        job = .making(Making(id: made.id, key: made.key))
    }

    private static func key(_ stored: [UInt8]) -> (id: String, key: [UInt8])? {
        guard stored.count > SecretCipher.keyLength else { return nil }
        return (
            String(decoding: stored.dropLast(SecretCipher.keyLength), as: UTF8.self),
            Array(stored.suffix(SecretCipher.keyLength))
        )
    }

    private func name() -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef".utf8)
        return String(decoding: context.random(32).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    /// The key's description first, the secrets then, and last what makes them count.
    private func prepare(_ making: inout Making) throws(CryptoError) {
        guard let seeds else { return }
        guard let check = seal([UInt8](repeating: 0, count: 32), name: "", making.key) else { return }
        making.puts = [
            (
                "m.secret_storage.key." + making.id,
                ["algorithm": .string(Self.algorithm), "iv": check["iv"] ?? "", "mac": check["mac"] ?? ""]
            )
        ]
        for (name, seed) in zip(CrossSigningSeeds.names, seeds.all) {
            guard let sealed = seal(Array(Base64.encode(seed).utf8), name: name, making.key) else { return }
            // What is encrypted under other keys stays.
            var content = making.secrets[name] ?? JSONObject()
            var encrypted = content["encrypted"]?.object ?? JSONObject()
            encrypted[making.id] = .object(sealed)
            content["encrypted"] = .object(encrypted)
            making.puts.append((name, content))
        }
        making.puts.append((Self.defaultKey, ["key": .string(making.id)]))
    }

    private func seal(_ plain: [UInt8], name: String, _ key: [UInt8]) -> JSONObject? {
        let iv = SecretCipher.iv(context.random(SecretCipher.ivLength))
        guard let sealed = equipment.cipher.seal(plain, name: name, key: key, iv: iv) else { return nil }
        return [
            "iv": .string(Base64.encode(sealed.iv)), "ciphertext": .string(Base64.encode(sealed.ciphertext)),
            "mac": .string(Base64.encode(sealed.mac)),
        ]
    }

    private func put() throws(CryptoError) {
        guard case .making(var making) = job, !making.puts.isEmpty else { return }
        making.puts.removeFirst()
        job = .making(making)
        if making.puts.isEmpty { try done("made") }
    }

    private func done(_ word: String) throws(CryptoError) {
        job = nil
        isDone = true
        context.changes.values.updateValue(Array(word.utf8), forKey: Self.doneName)
        try vault.write(nil, as: Self.keyName)
    }

    // MARK: Reading

    private func read(_ type: String, _ content: JSONValue, _ reading: Reading) {
        var reading = reading
        if type == Self.defaultKey {
            guard let id = content["key"]?.string, !id.isEmpty else {
                return end(.failure("the account has no secret storage"))
            }
            reading.id = id
            isKeyChecked = false
        } else if type.hasPrefix("m.secret_storage.key.") {
            guard isFit(reading.key, for: content) else { return end(.failure("it is of another secret storage")) }
            isKeyChecked = true
        } else {
            guard let id = reading.id, let sealed = Self.sealed(content["encrypted"]?[id]),
                let plain = equipment.cipher.open(sealed, name: type, key: reading.key.bytes),
                let seed = Base64.decode(String(decoding: plain, as: UTF8.self)), seed.count == 32
            else { return end(.failure("secret storage doesn't hold \(type)")) }
            reading.seeds.append(seed)
            if let seeds = CrossSigningSeeds(reading.seeds) {
                // They are kept there already.
                isDone = true
                context.changes.values.updateValue(Array("made".utf8), forKey: Self.doneName)
                return end(.seeds(seeds))
            }
        }
        job = .reading(reading)
    }

    /// By the key's description: zeros encrypted under it have the mac told.
    private func isFit(_ key: RecoveryKey, for description: JSONValue) -> Bool {
        guard description["algorithm"]?.string == Self.algorithm else { return false }
        guard let iv = description["iv"]?.string.flatMap({ Base64.decode($0) }),
            let mac = description["mac"]?.string.flatMap({ Base64.decode($0) })
        else { return true }
        let zeros = [UInt8](repeating: 0, count: 32)
        return equipment.cipher.seal(zeros, name: "", key: key.bytes, iv: iv)?.mac == mac
    }

    private static func sealed(_ value: JSONValue?) -> SecretCipher.Sealed? {
        guard let iv = value?["iv"]?.string.flatMap({ Base64.decode($0) }),
            let ciphertext = value?["ciphertext"]?.string.flatMap({ Base64.decode($0) }),
            let mac = value?["mac"]?.string.flatMap({ Base64.decode($0) })
        else { return nil }
        return SecretCipher.Sealed(iv: iv, ciphertext: ciphertext, mac: mac)
    }

    private func end(_ outcome: Outcome) {
        job = nil
        isAsked = false
        self.outcome = outcome
    }
}
