import MatrixCrypto
import SQLite

/// People whose devices are followed. How many there are is bounded by who follows them.
struct UserRows {
    private let find: Statement
    private let findAll: Statement
    private let findDevices: Statement
    private let set: Statement
    private let remove: Statement
    private let removeDevices: Statement
    private let addDevice: Statement

    init(_ database: Database) throws(SQLiteError) {
        find = try database.prepare("SELECT outdated, master_key, self_signing_key FROM users WHERE id = ?")
        findAll = try database.prepare("SELECT id FROM users ORDER BY id")
        findDevices = try database.prepare(
            "SELECT id, curve25519, ed25519, algorithms, cross_signed FROM devices WHERE user = ? ORDER BY place")
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
        var row: (isOutdated: Bool, identity: UserIdentity?)?
        while try find.next() {
            let identity = find.optionalText(1).map {
                UserIdentity(masterKey: $0, selfSigningKey: find.optionalText(2))
            }
            row = (find.integer(0) != 0, identity)
        }
        guard let row else { return nil }
        return StoredUser(id: id, isOutdated: row.isOutdated, devices: try devices(of: id), identity: row.identity)
    }

    func all() throws(SQLiteError) -> [StoredUser] {
        var ids: [String] = []
        while try findAll.next() { ids.append(findAll.text(0)) }
        var users: [StoredUser] = []
        for id in ids {
            if let user = try user(id) { users.append(user) }
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

    private func devices(of user: String) throws(SQLiteError) -> [Device] {
        let row = findDevices
        try row.bind(user)
        var found: [Device] = []
        while try row.next() {
            found.append(
                Device(
                    user: user, id: row.text(0), curve25519: row.text(1), ed25519: row.text(2),
                    algorithms: row.text(3).split(separator: "\n").map(String.init),
                    isCrossSigned: row.integer(4) != 0))
        }
        return found
    }
}
