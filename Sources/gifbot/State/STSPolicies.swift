import Base
public import IRCAdapter
import SQLite

/// The hosts that are reached over TLS only, because they said so (IRCv3 sts). There is at most one for each network of
/// the config, but networks come and go over the years, so what has run out is thrown away.
extension StateStore: STSStore {
    /// More than a config has networks; then what runs out first goes.
    private static let mostPolicies = 1_000

    public func stsPolicy(of host: String) -> STSPolicy? {
        memory.stsPolicies[host]
    }

    public func save(stsPolicy: STSPolicy?, of host: String) {
        guard memory.stsPolicies[host] != stsPolicy else { return }
        keep(stsPolicy, of: host)
        if memory.stsPolicies.count > Self.mostPolicies,
            let first = memory.stsPolicies.min(by: { $0.value.expires < $1.value.expires })
        {
            keep(nil, of: first.key)
        }
        writeSoon()
    }

    public func demandedPort(of host: String) -> Int? {
        memory.demandedPorts[host]
    }

    public func save(demandedPort: Int?, of host: String) {
        memory.demandedPorts[host] = demandedPort
    }

    /// Once a day.
    func forgetOldPolicies(at now: WallTime) {
        for (host, policy) in memory.stsPolicies where policy.expires <= now { keep(nil, of: host) }
        if !pending.stsPolicies.isEmpty { writeSoon() }
    }

    private func keep(_ policy: STSPolicy?, of host: String) {
        memory.stsPolicies[host] = policy
        pending.stsPolicies.updateValue(policy, forKey: host)
    }
}

extension StateMemory {
    mutating func loadPolicies(from database: Database, now: WallTime) throws(SQLiteError) {
        let rows = try database.prepare("SELECT host, port, duration, expires FROM sts")
        while try rows.next() {
            guard let port = UInt16(exactly: rows.integer(1)), port > 0 else { continue }
            let policy = STSPolicy(
                port: Int(port), duration: .seconds(rows.integer(2)), expires: WallTime(milliseconds: rows.integer(3)))
            stsPolicies[rows.text(0)] = policy
            if policy.expires <= now { sawOldRows = true }
        }
    }
}

/// Writes the table.
struct STSTable {
    private let set: Statement
    private let remove: Statement

    init(_ database: Database) throws(SQLiteError) {
        set = try database.prepare("INSERT OR REPLACE INTO sts (host, port, duration, expires) VALUES (?, ?, ?, ?)")
        remove = try database.prepare("DELETE FROM sts WHERE host = ?")
    }

    func write(_ policy: STSPolicy?, of host: String) throws(SQLiteError) {
        guard let policy else {
            try remove.bind(1, host)
            return try remove.run()
        }
        try set.bind(1, host)
        try set.bind(2, Int64(policy.port))
        try set.bind(3, policy.duration.components.seconds)
        try set.bind(4, policy.expires.milliseconds)
        try set.run()
    }
}
