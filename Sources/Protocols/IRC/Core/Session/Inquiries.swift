/// Commands that wait until WHOIS has told their sender's account: the last way to know it, where neither tags nor
/// notifications do.
struct Inquiries: Sendable {
    /// What comes on top is handed on without an account.
    static let limit = 16
    /// Then a command is handed on without an account.
    static let patience = Duration.seconds(5)

    struct Held: Sendable {
        let message: IRCMessage
        let nick: FoldedName
        let mask: String
        let age: Duration
        let until: Tick
    }

    /// What the lines of one WHOIS have told so far.
    struct Finding: Sendable {
        var mask: String?
        var account: String?
        var isBot = false
    }

    private var held: [Held] = []
    private var findings: [FoldedName: Finding] = [:]

    var isEmpty: Bool { held.isEmpty }
    var isFull: Bool { held.count >= Self.limit }
    var nextDue: Tick? { held.first?.until }

    /// True if the server has to be asked: nobody else waits for this nick's answer.
    mutating func hold(_ command: Held) -> Bool {
        held.append(command)
        return findings.updateValue(findings[command.nick] ?? Finding(), forKey: command.nick) == nil
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
        for nick in Set(over.map(\.nick)) where !held.contains(where: { $0.nick == nick }) { findings[nick] = nil }
        return over
    }

    /// Its sender took the command back; false if it isn't here.
    mutating func drop(_ id: String) -> Bool {
        guard let index = held.firstIndex(where: { $0.message.id == id }) else { return false }
        held.remove(at: index)
        return true
    }
}
