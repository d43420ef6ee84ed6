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

    private struct Rank: Sendable {
        let channel: FoldedName
        /// One for each rank from `+o` upwards.
        var bits: UInt8
    }

    /// Nearly everybody has them in a few channels only, and a QUIT has to find them all at once.
    private var ranks: [FoldedName: [Rank]] = [:]
    private var rankCount = 0
    private var accounts: [FoldedName: Account] = [:]
    private var bots: Set<FoldedName> = []

    var hasOperators: Bool { rankCount > 0 }
    var hasAccounts: Bool { !accounts.isEmpty }
    var hasBots: Bool { !bots.isEmpty }
    var count: Int { rankCount + accounts.count + bots.count }

    func isOperator(_ nick: FoldedName, in channel: FoldedName) -> Bool {
        ranks[nick]?.contains { $0.channel == channel } ?? false
    }

    func isBot(_ nick: FoldedName) -> Bool { bots.contains(nick) }

    /// Every nick whose coming and going matters, some more than once.
    func forEachNick(_ body: (FoldedName) -> Void) {
        ranks.keys.forEach(body)
        accounts.keys.forEach(body)
        bots.forEach(body)
    }

    /// One rank given or taken.
    mutating func setRank(_ bit: UInt8, of nick: FoldedName, in channel: FoldedName, _ isSet: Bool) {
        let before = ranks[nick]?.first { $0.channel == channel }?.bits ?? 0
        setRanks(isSet ? before | bit : before & ~bit, of: nick, in: channel)
    }

    /// All ranks at once; none forgets the person.
    mutating func setRanks(_ bits: UInt8, of nick: FoldedName, in channel: FoldedName) {
        let place = ranks[nick]?.firstIndex { $0.channel == channel }
        if let place, bits != 0 {
            ranks[nick]?[place].bits = bits
        } else if let place {
            ranks[nick]?.remove(at: place)
            rankCount -= 1
            if ranks[nick]?.isEmpty == true { ranks[nick] = nil }
        } else if bits != 0, rankCount < Self.rankLimit {
            ranks[nick, default: []].append(Rank(channel: channel, bits: bits))
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
        if let kept = ranks.removeValue(forKey: old) {
            rankCount -= ranks.updateValue(kept, forKey: new)?.count ?? 0
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
        rankCount -= ranks.removeValue(forKey: nick)?.count ?? 0
        accounts[nick] = nil
        bots.remove(nick)
    }

    /// We are out: whoever we shared only this channel with is out of sight.
    mutating func forget(_ channel: FoldedName) {
        for nick in ranks.filter({ $0.value.contains { $0.channel == channel } }).keys {
            setRanks(0, of: nick, in: channel)
        }
        accounts.removeAll()
        bots.removeAll()
    }
}
