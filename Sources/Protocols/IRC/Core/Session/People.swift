/// What is remembered about others: the operators of our channels, and accounts where messages don't carry them.
struct People: Sendable {
    /// One more is not remembered, and counts as nobody special.
    static let operatorLimit = 5000
    static let accountLimit = 10_000

    private var operators: [FoldedName: Set<FoldedName>] = [:]
    private var operatorCount = 0
    private var accounts: [FoldedName: (account: String, address: String)] = [:]

    func isOperator(_ nick: FoldedName, in channel: FoldedName) -> Bool {
        operators[channel]?.contains(nick) ?? false
    }

    var hasOperators: Bool { operatorCount > 0 }
    var hasAccounts: Bool { !accounts.isEmpty }

    mutating func setOperator(_ nick: FoldedName, in channel: FoldedName, _ isOperator: Bool) {
        if isOperator {
            guard operatorCount < Self.operatorLimit else { return }
            if operators[channel, default: []].insert(nick).inserted { operatorCount += 1 }
        } else if operators[channel]?.remove(nick) != nil {
            operatorCount -= 1
        }
    }

    /// The address guards against a nick that changed hands out of our sight.
    mutating func setAccount(_ account: String?, of nick: FoldedName, address: String) {
        guard let account else {
            accounts[nick] = nil
            return
        }
        if accounts[nick] != nil || accounts.count < Self.accountLimit { accounts[nick] = (account, address) }
    }

    func account(of nick: FoldedName, address: String) -> String? {
        accounts[nick].flatMap { $0.address == address ? $0.account : nil }
    }

    mutating func renamed(_ old: FoldedName, to new: FoldedName) {
        for channel in operators.keys where operators[channel]?.remove(old) != nil {
            operators[channel]?.insert(new)
        }
        accounts[new] = accounts.removeValue(forKey: old)
    }

    /// After a PART the account may change unseen, so it is forgotten at once.
    mutating func left(_ nick: FoldedName, _ channel: FoldedName) {
        setOperator(nick, in: channel, false)
        accounts[nick] = nil
    }

    mutating func quit(_ nick: FoldedName) {
        for channel in operators.keys { setOperator(nick, in: channel, false) }
        accounts[nick] = nil
    }

    /// We are out: whoever we shared only this channel with is out of sight.
    mutating func forget(_ channel: FoldedName) {
        operatorCount -= operators.removeValue(forKey: channel)?.count ?? 0
        accounts.removeAll()
    }
}
