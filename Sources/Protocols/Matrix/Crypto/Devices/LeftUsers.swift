import JSON

/// What was seen of people who left: their master keys and the keys of their devices. A server that tells somebody to have
/// left and to be back can't slip in other keys by it.
///
/// Bounded; those that left first are let go first.
struct LeftUsers {
    static let most = 5_000
    static let devicesOfUser = 50
    private static let listName = "left.users"

    struct Pins: Equatable {
        let identity: UserIdentity?
        /// Ed25519 keys by device id.
        let devices: [String: String]
    }

    private let context: CryptoContext
    /// In the order in which they left.
    private var order: [String]
    private var ids: Set<String>
    private var isChanged = false

    init(_ context: CryptoContext) throws(CryptoError) {
        self.context = context
        let stored = try context.value(of: Self.listName).flatMap { try? JSONValue(parsing: $0) }
        order = stored?.array?.compactMap(\.string) ?? []
        ids = Set(order)
    }

    /// `earlier`: what was kept of them before and is still to be compared.
    mutating func keep(_ user: StoredUser, earlier: Pins?) {
        guard user.identity != nil || !user.devices.isEmpty || earlier != nil else { return }
        drop(user.id)
        order.append(user.id)
        ids.insert(user.id)
        if order.count > Self.most { drop(order[0]) }
        var pins = JSONObject()
        if let identity = user.identity {
            pins["master"] = .string(identity.masterKey)
            pins["self_signing"] = identity.selfSigningKey.map { .string($0) }
        }
        var devices = earlier?.devices ?? [:]
        for device in user.devices { devices[device.id] = device.ed25519 }
        pins["devices"] = .object(
            JSONObject(devices.prefix(Self.devicesOfUser).map { .init($0.key, .string($0.value)) }))
        write(.object(pins), as: Self.name(user.id))
        isChanged = true
    }

    /// Their list, once for all that left together.
    mutating func flush() {
        guard isChanged else { return }
        write(.array(order.map { .string($0) }), as: Self.listName)
        isChanged = false
    }

    /// Of somebody who is followed again; nil for whom nothing is kept of.
    func pins(of id: String) throws(CryptoError) -> Pins? {
        guard ids.contains(id), let stored = try context.value(of: Self.name(id)),
            let pins = try? JSONValue(parsing: stored)
        else { return nil }
        let identity = pins["master"]?.string.map {
            UserIdentity(masterKey: $0, selfSigningKey: pins["self_signing"]?.string)
        }
        let devices = (pins["devices"]?.object?.members ?? []).compactMap { member in
            member.value.string.map { (member.key, $0) }
        }
        return Pins(identity: identity, devices: Dictionary(devices) { first, _ in first })
    }

    /// What they have is known from elsewhere now.
    mutating func forget(_ id: String) {
        guard ids.contains(id) else { return }
        drop(id)
        isChanged = true
    }

    private mutating func drop(_ id: String) {
        guard let index = order.firstIndex(of: id) else { return }
        order.remove(at: index)
        ids.remove(id)
        context.changes.values.updateValue(nil, forKey: Self.name(id))
    }

    private func write(_ value: JSONValue, as name: String) {
        guard let bytes = try? JSONWriter.canonical(value) else { return }
        context.changes.values.updateValue(bytes, forKey: name)
    }

    private static func name(_ id: String) -> String { "left.user." + id }
}
