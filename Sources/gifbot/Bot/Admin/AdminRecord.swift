import Base
import Chat

/// What became of the record, for keeping it elsewhere too.
public enum AdminEvent: Hashable, Sendable {
    case changed(AdminChange)
    /// The change of this number is lifted.
    case lifted(Int64)
    case audited(AuditEntry)
    case ignored(BotSectionSettings.Person)
    case heard(BotSectionSettings.Person)
}

/// Everything that was set by chat, and who did what.
public struct AdminRecord: Sendable {
    /// Lines of the audit log; the oldest go first.
    public static let mostEntries = 1000
    static let mostChanges = 50_000
    /// Of one channel, without its bans.
    static let mostOfOneChannel = 100
    /// Of one channel.
    static let mostBans = 1000
    static let mostIgnored = 1000

    /// In order.
    public private(set) var changes: [AdminChange] = []
    /// The oldest first.
    public private(set) var entries: [AuditEntry] = []
    public private(set) var ignored: [BotSectionSettings.Person] = []
    private var byReach: [AdminChange.Reach: [AdminChange]] = [:]
    private var lastNumber: Int64 = 0

    public init() {}

    /// A number for what comes next.
    var nextNumber: Int64 { lastNumber + 1 }

    /// In order.
    func changes(of reach: AdminChange.Reach) -> [AdminChange] { byReach[reach] ?? [] }

    /// None of a private talk.
    func changes(in conversation: Conversation) -> [AdminChange] {
        AdminChange.Reach(conversation).map { changes(of: $0) } ?? []
    }

    var isEmpty: Bool { changes.isEmpty }

    /// What holds for more than one channel, in order.
    func wideChanges(on network: String) -> [AdminChange] {
        changes(of: .bot) + changes(of: .network(network))
    }

    func change(_ number: Int64) -> AdminChange? { changes.first { $0.number == number } }

    public mutating func apply(_ event: AdminEvent) {
        switch event {
        case .changed(let change):
            lastNumber = max(lastNumber, change.number)
            changes.append(change)
            byReach[change.reach, default: []].append(change)
        case .lifted(let number):
            guard let place = changes.firstIndex(where: { $0.number == number }) else { return }
            let reach = changes.remove(at: place).reach
            byReach[reach]?.removeAll { $0.number == number }
            if byReach[reach]?.isEmpty == true { byReach[reach] = nil }
        case .audited(let entry):
            lastNumber = max(lastNumber, entry.number)
            entries.append(entry)
            // A tenth at once, so that moving the rest is seldom.
            if entries.count > Self.mostEntries { entries.removeFirst(Self.mostEntries / 10) }
        case .ignored(let person): if !ignored.contains(person) { ignored.append(person) }
        case .heard(let person): ignored.removeAll { $0 == person }
        }
    }

    /// What has to go so that one more change of this reach has room: the oldest ban for a ban, of those that no bot admin
    /// made for an operator's, else the oldest that a later one of the same matter and rank covers. Throws when there is none.
    func giveWay(to change: AdminChange) throws(AdminFault) -> AdminChange? {
        let own = changes(of: change.reach).filter { $0.setting.isBan == change.setting.isBan }
        let most = change.setting.isBan ? Self.mostBans : Self.mostOfOneChannel
        guard own.count >= most || changes.count >= Self.mostChanges else { return nil }
        if change.setting.isBan, let oldest = own.first(where: { change.isByAdmin || !$0.isByAdmin }) { return oldest }
        guard !change.setting.isBan else { throw .tooMany }
        let covered = own.indices.first { index in
            let old = own[index]
            return (own[(index + 1)...] + [change]).contains {
                $0.setting.matter == old.setting.matter && $0.isByAdmin == old.isByAdmin
            }
        }
        guard let covered else { throw .tooMany }
        return own[covered]
    }
}
