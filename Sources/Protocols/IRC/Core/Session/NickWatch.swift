/// The way back to the nick we want, while we have another.
struct NickWatch: Sendable {
    /// NICK was sent; a server that doesn't answer is asked again after this long.
    static let answerLimit = Duration.seconds(60)
    static let first = Duration.seconds(120)
    static let longest = Duration.seconds(1800)

    /// When something is tried next; nil while we have the nick, or when there is no hope.
    var nextTry: Tick?
    /// NICK is under way, so no second one is sent.
    var askedSince: Tick?
    var refusals = 0
    /// The server tells us when the nick becomes free.
    var isMonitored = false
    var hasMonitor = true
    var hasISON = true
    var services = Services.unasked

    enum Services: Sendable {
        case unasked
        /// REGAIN was sent: it gives us the nick, where the services know it.
        case regain
        /// GHOST was sent: it removes who holds the nick.
        case ghost
    }

    func isAsking(at now: Tick) -> Bool {
        askedSince.map { now < $0.advanced(by: Self.answerLimit) } ?? false
    }

    /// Longer with each refusal.
    var wait: Duration { min(Self.first * (1 << min(refusals, 6)), Self.longest) }

    mutating func unknownCommand(_ command: String) {
        switch command.uppercasedASCII {
        case "ISON": hasISON = false
        case "MONITOR":
            hasMonitor = false
            isMonitored = false
        default: break
        }
    }
}
