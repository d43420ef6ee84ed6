/// What the server announced about itself (RPL_ISUPPORT), or the values that hold without a word from it.
struct ServerSupport: Sendable {
    var casemapping = Casemapping.rfc1459
    var channelTypes: [UInt8] = Array("#&".utf8)
    /// Modes and their signs, highest rank first.
    var ranks: [(mode: UInt8, sign: UInt8)] = Self.usualRanks
    var statusPrefixes: [UInt8] = []
    var nickLength: Int?
    var channelLength: Int?
    /// How many targets a command may name: by TARGMAX, which knows the commands, else by the older MAXTARGETS.
    private var targetsOf: [String: Int] = [:]
    private var maxTargets: Int?
    /// Channels that we may be in at one time, by the first character of their names (CHANLIMIT).
    var channelLimits: [(types: [UInt8], limit: Int)] = []
    var clientTags = ClientTagRule()
    /// Nicks of which the server tells when they come and go.
    var hasMonitor = false
    /// WHO with chosen fields, the account among them.
    var hasWhox = false
    /// The letter of the bot's user mode.
    var botMode: Character?
    var lineLength = IRCMessage.lineLimit
    /// Channel modes that always have a parameter, and those that have one only when set (CHANMODES A and B, C).
    var modesWithParameter: [UInt8] = Array("bk".utf8)
    var modesWithParameterWhenSet: [UInt8] = Array("l".utf8)

    private static let usualRanks: [(mode: UInt8, sign: UInt8)] = [
        (UInt8(ascii: "o"), UInt8(ascii: "@")), (UInt8(ascii: "v"), UInt8(ascii: "+")),
    ]

    /// `+o` and everything above it.
    private var operatorRanks: ArraySlice<(mode: UInt8, sign: UInt8)> {
        ranks[...(ranks.firstIndex { $0.mode == UInt8(ascii: "o") } ?? -1)]
    }

    /// The bits of these signs or modes, as `People` keeps them; 0 for what is below `+o`.
    func rankBit(sign: UInt8) -> UInt8 {
        operatorRanks.prefix(8).firstIndex { $0.sign == sign }.map { 1 << UInt8($0) } ?? 0
    }

    func hasRanks(of other: ServerSupport) -> Bool {
        ranks.elementsEqual(other.ranks) { $0 == $1 }
    }

    func rankBit(mode: UInt8) -> UInt8 {
        operatorRanks.prefix(8).firstIndex { $0.mode == mode }.map { 1 << UInt8($0) } ?? 0
    }

    /// Without a word from the server as many as fit a line: JOIN and PART take lists everywhere.
    func targets(of command: String) -> Int { targetsOf[command] ?? maxTargets ?? .max }

    func isChannel(_ target: some Sequence<UInt8>) -> Bool {
        target.first { _ in true }.map { channelTypes.contains($0) } ?? false
    }

    /// `@#cats` without the rank in front; nil if the target is no channel.
    func channel(of target: String) -> String? {
        if isChannel(target.utf8) { return target }
        let rest = target.utf8.drop { statusPrefixes.contains($0) }
        return rest.count < target.utf8.count && isChannel(rest) ? String(Substring(rest)) : nil
    }

    /// Reads one token, `NAME`, `NAME=value` or `-NAME`.
    mutating func apply(_ token: String) {
        let isTakenBack = token.hasPrefix("-")
        let parts = token.dropFirst(isTakenBack ? 1 : 0).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let set = Self.tokens[String(name)] else { return }
        set(&self, isTakenBack ? nil : parts.count > 1 ? unescape(parts[1]) : "")
    }

    /// The value is nil where the token is taken back, so that what holds without it holds again.
    private static let tokens: [String: @Sendable (inout ServerSupport, String?) -> Void] = [
        "CASEMAPPING": { $0.casemapping = $1.flatMap { Casemapping(serverName: $0) } ?? .rfc1459 },
        "CHANTYPES": { $0.channelTypes = Array(($1 ?? "#&").utf8) },
        "STATUSMSG": { $0.statusPrefixes = Array(($1 ?? "").utf8) },
        "PREFIX": { $0.ranks = $1.map(parseRanks) ?? usualRanks },
        "NICKLEN": { $0.nickLength = $1.flatMap(positive) },
        "CHANNELLEN": { $0.channelLength = $1.flatMap(positive) },
        "LINELEN": { $0.lineLength = min(IRCMessage.lineLimit, max(128, $1.flatMap(positive) ?? 512)) },
        "MAXTARGETS": { $0.maxTargets = $1.flatMap(positive) },
        "TARGMAX": { $0.targetsOf = $1.map(parseTargets) ?? [:] },
        "CHANLIMIT": { $0.channelLimits = $1.map(parseLimits) ?? [] },
        "CLIENTTAGDENY": { $0.clientTags = $1.map { ClientTagRule($0) } ?? ClientTagRule() },
        "MONITOR": { $0.hasMonitor = $1 != nil },
        "WHOX": { $0.hasWhox = $1 != nil },
        "BOT": { $0.botMode = $1?.first },
        "CHANMODES": { support, value in
            let kinds = (value ?? "b,k,l,").split(separator: ",", omittingEmptySubsequences: false)
            support.modesWithParameter = kinds.prefix(2).flatMap { Array($0.utf8) }
            support.modesWithParameterWhenSet = kinds.dropFirst(2).prefix(1).flatMap { Array($0.utf8) }
        },
    ]

    private static func positive(_ text: String) -> Int? {
        Int(text).flatMap { $0 > 0 ? $0 : nil }
    }

    /// `(ov)@+`
    private static func parseRanks(_ value: String) -> [(mode: UInt8, sign: UInt8)] {
        guard value.hasPrefix("("), let close = value.firstIndex(of: ")") else { return [] }
        return Array(zip(value[..<close].utf8.dropFirst(), value[close...].utf8.dropFirst())).map { ($0, $1) }
    }

    /// `#&:50,+:10`; a kind without a number has no limit.
    private static func parseLimits(_ value: String) -> [(types: [UInt8], limit: Int)] {
        value.split(separator: ",").compactMap { entry in
            let parts = entry.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let limit = positive(String(parts[1])) else { return nil }
            return (Array(parts[0].utf8), limit)
        }
    }

    /// `JOIN:4,PART:`; a command without a number has no limit.
    private static func parseTargets(_ value: String) -> [String: Int] {
        value.split(separator: ",").reduce(into: [:]) { limits, entry in
            let parts = entry.split(separator: ":", maxSplits: 1).map { String($0) }
            guard let command = parts.first?.uppercasedASCII else { return }
            limits[command] = parts.count == 2 ? positive(parts[1]) ?? .max : .max
        }
    }
}

/// `\xHH` is a byte that can't stand in a token.
private func unescape(_ value: Substring) -> String {
    let bytes = Array(value.utf8)
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
        if index + 3 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "x"),
            let byte = UInt8(String(decoding: bytes[(index + 2)...(index + 3)], as: UTF8.self), radix: 16)
        {
            plain.append(byte)
            index += 4
        } else {
            plain.append(bytes[index])
            index += 1
        }
    }
    return String(decoding: plain, as: UTF8.self)
}
