import MatrixCrypto
import SQLite

/// People whose devices are followed. How many there are is bounded by who follows them.
struct UserRows {
    private let find: Statement
    private let findAll: Statement
    private let findAllDevices: Statement
    private let findDevices: Statement
    private let set: Statement
    private let remove: Statement
    private let removeDevices: Statement
    private let addDevice: Statement

    init(_ database: Database) throws(SQLiteError) {
        find = try database.prepare("SELECT id, outdated, master_key, self_signing_key FROM users WHERE id = ?")
        findAll = try database.prepare("SELECT id, outdated, master_key, self_signing_key FROM users ORDER BY id")
        findAllDevices = try database.prepare(
            "SELECT user, id, curve25519, ed25519, algorithms, cross_signed FROM devices ORDER BY user, place")
        findDevices = try database.prepare(
            "SELECT user, id, curve25519, ed25519, algorithms, cross_signed FROM devices WHERE user = ? ORDER BY place")
        set = try database.prepare(
            "INSERT OR REPLACE INTO users (id, outdated, master_key, self_signing_key) VALUES (?, ?, ?, ?)")
        remove = try database.prepare("DELETE FROM users WHERE id = ?")
        removeDevices = try database.prepare("DELETE FROM devices WHERE user = ?")
        addDevice = try database.prepare(
            """
            INSERT INTO devices (user, place, id, curve25519, ed25519, algorithms, cross_signed)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
    }

    func user(_ id: String) throws(SQLiteError) -> StoredUser? {
        try find.bind(id)
        var found: StoredUser?
        while try find.next() { found = Self.user(find) }
        guard let found else { return nil }
        try findDevices.bind(id)
        var devices: [Device] = []
        while try findDevices.next() { devices.append(Self.device(findDevices)) }
        return found.with(devices)
    }

    /// At a start: two passes, however many there are.
    func all() throws(SQLiteError) -> [StoredUser] {
        var devices: [String: [Device]] = [:]
        while try findAllDevices.next() {
            let device = Self.device(findAllDevices)
            devices[device.user, default: []].append(device)
        }
        var users: [StoredUser] = []
        while try findAll.next() {
            let user = Self.user(findAll)
            users.append(user.with(devices[user.id] ?? []))
        }
        return users
    }

    func write(_ users: [String: StoredUser?]) throws(SQLiteError) {
        for (id, user) in users {
            try removeDevices.run(id)
            guard let user else {
                try remove.run(id)
                continue
            }
            try set.run(
                id, Int64(user.isOutdated ? 1 : 0), user.identity?.masterKey, user.identity?.selfSigningKey)
            for (place, device) in user.devices.enumerated() {
                try addDevice.run(
                    id, Int64(place), device.id, device.curve25519, device.ed25519,
                    device.algorithms.joined(separator: "\n"), Int64(device.isCrossSigned ? 1 : 0))
            }
        }
    }

    private static func user(_ row: Statement) -> StoredUser {
        let identity = row.optionalText(2).map { UserIdentity(masterKey: $0, selfSigningKey: row.optionalText(3)) }
        return StoredUser(id: row.text(0), isOutdated: row.integer(1) != 0, devices: [], identity: identity)
    }

    private static func device(_ row: Statement) -> Device {
        Device(
            user: row.text(0), id: row.text(1), curve25519: row.text(2), ed25519: row.text(3),
            algorithms: row.text(4).split(separator: "\n").map(String.init), isCrossSigned: row.integer(5) != 0)
    }
}

extension StoredUser {
    fileprivate func with(_ devices: [Device]) -> StoredUser {
        StoredUser(id: id, isOutdated: isOutdated, devices: devices, identity: identity)
    }
}
