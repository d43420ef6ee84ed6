/// What is remembered about others: the operators of our channels, accounts where messages don't carry them, and bots
/// that only WHO shows. Nothing of anybody else.
struct People: Sendable {
    /// One more is not remembered, and counts as nobody special.
    static let rankLimit = 10_000
    static let accountLimit = 10_000
    static let botLimit = 1000

    private struct Account: Sendable {
        /// nil: known to be logged out.
        let name: String?
        /// `nick!user@host`: guards against a nick that changed hands out of our sight.
        let mask: String
        /// Nobody tells us of changes, so it is asked for again then.
        let until: Tick?
    }

    enum Knowledge: Equatable, Sendable {
        case unknown
        case loggedOut
        case account(String)
    }

    /// For each channel, a bit for each rank from `+o` upwards.
    private var ranks: [FoldedName: [FoldedName: UInt8]] = [:]
    private var rankCount = 0
    private var accounts: [FoldedName: Account] = [:]
    private var bots: Set<FoldedName> = []

    var hasOperators: Bool { rankCount > 0 }
    var hasAccounts: Bool { !accounts.isEmpty }
    var hasBots: Bool { !bots.isEmpty }
    var count: Int { rankCount + accounts.count + bots.count }

    func isOperator(_ nick: FoldedName, in channel: FoldedName) -> Bool {
        ranks[channel]?[nick] != nil
    }

    func isBot(_ nick: FoldedName) -> Bool { bots.contains(nick) }

    /// Every nick whose coming and going matters, some more than once.
    func forEachNick(_ body: (FoldedName) -> Void) {
        for channel in ranks.values { channel.keys.forEach(body) }
        accounts.keys.forEach(body)
        bots.forEach(body)
    }

    /// One rank given or taken.
    mutating func setRank(_ bit: UInt8, of nick: FoldedName, in channel: FoldedName, _ isSet: Bool) {
        let before = ranks[channel]?[nick] ?? 0
        setRanks(isSet ? before | bit : before & ~bit, of: nick, in: channel)
    }

    /// All ranks at once; none forgets the person.
    mutating func setRanks(_ bits: UInt8, of nick: FoldedName, in channel: FoldedName) {
        if bits == 0 {
            if ranks[channel]?.removeValue(forKey: nick) != nil { rankCount -= 1 }
        } else if ranks[channel]?[nick] != nil {
            ranks[channel]?[nick] = bits
        } else if rankCount < Self.rankLimit {
            ranks[channel, default: [:]][nick] = bits
            rankCount += 1
        }
    }

    mutating func setAccount(_ account: String?, of nick: FoldedName, mask: String, until: Tick?) {
        if accounts[nick] == nil, accounts.count >= Self.accountLimit { return }
        accounts[nick] = Account(name: account, mask: mask, until: until)
    }

    mutating func forgetAccount(_ nick: FoldedName) {
        accounts[nick] = nil
    }

    func account(of nick: FoldedName, mask: String, at now: Tick) -> Knowledge {
        guard let account = accounts[nick], account.mask == mask, account.until.map({ now < $0 }) ?? true else {
            return .unknown
        }
        return account.name.map { .account($0) } ?? .loggedOut
    }

    /// The same person has another address now.
    mutating func moved(_ nick: FoldedName, to mask: String) {
        guard let account = accounts[nick] else { return }
        accounts[nick] = Account(name: account.name, mask: mask, until: account.until)
    }

    mutating func forgetOldAccounts(at now: Tick) {
        accounts = accounts.filter { $0.value.until.map { now < $0 } ?? true }
    }

    mutating func setBot(_ nick: FoldedName) {
        if bots.count < Self.botLimit { bots.insert(nick) }
    }

    /// `mask` is the one with the new nick.
    mutating func renamed(_ old: FoldedName, to new: FoldedName, mask: String) {
        for channel in ranks.keys {
            if let bits = ranks[channel]?.removeValue(forKey: old) { ranks[channel]?[new] = bits }
        }
        if let account = accounts.removeValue(forKey: old) {
            accounts[new] = Account(name: account.name, mask: mask, until: account.until)
        }
        if bots.remove(old) != nil { bots.insert(new) }
    }

    /// After a PART the account may change unseen, so it is forgotten at once.
    mutating func left(_ nick: FoldedName, _ channel: FoldedName) {
        setRanks(0, of: nick, in: channel)
        accounts[nick] = nil
        bots.remove(nick)
    }

    mutating func quit(_ nick: FoldedName) {
        for channel in ranks.keys { setRanks(0, of: nick, in: channel) }
        accounts[nick] = nil
        bots.remove(nick)
    }

    /// We are out: whoever we shared only this channel with is out of sight.
    mutating func forget(_ channel: FoldedName) {
        rankCount -= ranks.removeValue(forKey: channel)?.count ?? 0
        accounts.removeAll()
        bots.removeAll()
    }
}
