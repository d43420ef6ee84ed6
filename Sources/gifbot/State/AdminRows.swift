import Base
import Bot
import SQLite

/// The statements that write what was set by chat.
struct AdminStatements {
    private let changed: Statement
    private let lifted: Statement
    private let audited: Statement
    private let trimmed: Statement
    private let ignored: Statement
    private let heard: Statement

    init(_ database: Database) throws(SQLiteError) {
        changed = try database.prepare(
            """
            INSERT OR REPLACE INTO admin_changes (number, network, channel, setting, by_admin, who, at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        lifted = try database.prepare("DELETE FROM admin_changes WHERE number = ?")
        audited = try database.prepare(
            "INSERT OR REPLACE INTO audit (number, at, who, place, what) VALUES (?, ?, ?, ?, ?)")
        trimmed = try database.prepare("DELETE FROM audit WHERE number <= ?")
        ignored = try database.prepare("INSERT OR IGNORE INTO ignored (person) VALUES (?)")
        heard = try database.prepare("DELETE FROM ignored WHERE person = ?")
    }

    func write(_ event: AdminEvent) throws(SQLiteError) {
        switch event {
        case .changed(let change):
            let (network, channel) = change.reach.columns
            try changed.run(
                change.number, network, channel, change.setting.text, change.isByAdmin ? 1 as Int64 : 0, change.who,
                change.at.milliseconds)
        case .lifted(let number): try lifted.run(number)
        case .audited(let entry):
            try audited.run(entry.number, entry.at.milliseconds, entry.who, entry.place, entry.what)
            // Numbers have no gaps here.
            try trimmed.run(entry.number - Int64(AdminRecord.mostEntries))
        case .ignored(let person): try ignored.run(person.text)
        case .heard(let person): try heard.run(person.text)
        }
    }
}

extension AdminRecord {
    /// What can't be read, such as what a newer program wrote, is left out.
    mutating func load(from database: Database) throws(SQLiteError) {
        let changes = try database.prepare(
            "SELECT number, network, channel, setting, by_admin, who, at FROM admin_changes ORDER BY number")
        while try changes.next() {
            guard let setting = AdminSetting(text: changes.text(3)) else { continue }
            apply(
                .changed(
                    AdminChange(
                        number: changes.integer(0),
                        reach: AdminChange.Reach(network: changes.text(1), channel: changes.text(2)), setting: setting,
                        isByAdmin: changes.integer(4) != 0, who: changes.text(5),
                        at: WallTime(milliseconds: changes.integer(6)))))
        }
        let entries = try database.prepare("SELECT number, at, who, place, what FROM audit ORDER BY number")
        while try entries.next() {
            apply(
                .audited(
                    AuditEntry(
                        number: entries.integer(0), at: WallTime(milliseconds: entries.integer(1)),
                        who: entries.text(2), place: entries.text(3), what: entries.text(4))))
        }
        let people = try database.prepare("SELECT person FROM ignored ORDER BY person")
        while try people.next() {
            if let person = BotSectionSettings.Person(text: people.text(0)) { apply(.ignored(person)) }
        }
    }
}

extension AdminChange.Reach {
    /// Empty is all of them.
    fileprivate var columns: (network: String, channel: String) {
        switch self {
        case .channel(let network, let name): (network, name)
        case .network(let network): (network, "")
        case .bot: ("", "")
        }
    }

    fileprivate init(network: String, channel: String) {
        self =
            if network.isEmpty { .bot } else if channel.isEmpty { .network(network) } else {
                .channel(network: network, name: channel)
            }
    }
}
