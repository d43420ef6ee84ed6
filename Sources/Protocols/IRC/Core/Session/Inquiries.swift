/// Commands that wait until WHOIS has told their sender's account: the last way to know it, where neither tags nor
/// notifications do.
struct Inquiries: Sendable {
    /// What comes on top is handed on without an account.
    static let limit = 16
    /// Then a command is handed on without an account.
    static let patience = Duration.seconds(5)
    /// A WHOIS may have waited for its turn: what it tells later still serves for the next command. Then it is asked again.
    static let answerLimit = Duration.seconds(60)

    struct Held: Sendable {
        let message: IRCMessage
        let nick: FoldedName
        let mask: String
        let age: Duration
        let until: Tick
    }

    /// What the lines of one WHOIS have told so far.
    struct Finding: Sendable {
        /// Of the command that made us ask.
        let asker: String
        let since: Tick
        var mask: String?
        var account: String?
        var isBot = false
    }

    private var held: [Held] = []
    private var findings: [FoldedName: Finding] = [:]

    var isEmpty: Bool { held.isEmpty }
    var isFull: Bool { held.count >= Self.limit || findings.count >= Self.limit }
    var nextDue: Tick? { held.first?.until }

    /// True if the server has to be asked: no answer about this nick is on its way.
    mutating func hold(_ command: Held, at now: Tick) -> Bool {
        held.append(command)
        if let asked = findings[command.nick], now < asked.since.advanced(by: Self.answerLimit) { return false }
        findings[command.nick] = Finding(asker: command.mask, since: now)
        return true
    }

    /// Questions that the server won't answer any more.
    mutating func forgetUnanswered(at now: Tick) {
        guard findings.count >= Self.limit else { return }
        findings = findings.filter { nick, asked in
            now < asked.since.advanced(by: Self.answerLimit) || held.contains { $0.nick == nick }
        }
    }

    mutating func note(_ nick: FoldedName, _ change: (inout Finding) -> Void) {
        guard var finding = findings[nick] else { return }
        change(&finding)
        findings[nick] = finding
    }

    /// The answer is complete.
    mutating func finish(_ nick: FoldedName) -> (finding: Finding, held: [Held])? {
        guard let finding = findings.removeValue(forKey: nick) else { return nil }
        let released = held.filter { $0.nick == nick }
        held.removeAll { $0.nick == nick }
        return (finding, released)
    }

    /// Those who have waited long enough.
    mutating func expired(at now: Tick) -> [Held] {
        let over = held.filter { $0.until <= now }
        held.removeAll { $0.until <= now }
        return over
    }

    /// Its sender took the command back; false if it isn't here.
    mutating func drop(_ id: String) -> Bool {
        guard let index = held.firstIndex(where: { $0.message.id == id }) else { return false }
        held.remove(at: index)
        return true
    }
}
