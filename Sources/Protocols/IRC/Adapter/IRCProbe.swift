public import Base
public import Chat

/// Tries a network without taking part in anything: server, TLS and login. It comes under another nick, so that a bot at
/// work isn't disturbed, and joins nothing.
@Loop public final class IRCProbe {
    private let adapter: IRCAdapter
    private let clock: any LoopClock
    private let isLoginWanted: Bool
    private let way: String
    private let ears = Deaf()

    private var outcomes: [IRCAdapter.Outcome] = []
    private var told: Gate?

    public init(
        _ settings: IRCNetworkSettings, program: IRCProgram, transport: any IRCTransport, clock: any LoopClock,
        answered: any AnsweredStore, policies: any STSStore, log: Log, random: @escaping @Loop () -> UInt64
    ) {
        self.clock = clock
        isLoginWanted = settings.connection.login != nil
        way = settings.connection.endpoint.tls == nil ? "in plain text" : "over TLS"
        adapter = IRCAdapter(
            settings: settings.forProbe, people: IRCPeople(), program: program, transport: transport, clock: clock,
            answered: answered, policies: policies, log: log, handler: ears, random: random)
    }

    /// What becomes of the first connection; without secrets.
    public func finding(within limit: Duration) async -> Finding {
        adapter.onOutcome = { [weak self] outcome in
            self?.outcomes.append(outcome)
            self?.told?.open()
        }
        adapter.start()
        let end = clock.now.advanced(by: limit)
        while trouble == nil, !adapter.isOnline, clock.now < end {
            let gate = Gate(clock: clock)
            told = gate
            await gate.wait(by: end)
        }
        let finding = finding(limit)
        await adapter.stop(by: clock.now.advanced(by: .seconds(4)))
        return finding
    }

    private var trouble: String? {
        for case .failed(let reason) in outcomes { return reason }
        return nil
    }

    private func finding(_ limit: Duration) -> Finding {
        if let trouble { return Finding(isGood: false, trouble) }
        guard adapter.isOnline else {
            return Finding(isGood: false, "no welcome within \(limit.secondsRoundedUp) s")
        }
        guard isLoginWanted else { return Finding(isGood: true, "registered \(way)") }
        guard outcomes.contains(.loggedIn) else {
            return Finding(isGood: false, "registered \(way), but not logged in")
        }
        return Finding(isGood: true, "registered \(way), logged in")
    }
}

/// Lets every message pass.
private final class Deaf: ChatHandler {
    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {}
    func changed(_ change: ChatChange, from adapter: any ChatAdapter) {}
}

extension IRCNetworkSettings {
    /// Nine characters of a nick every server allows.
    fileprivate var forProbe: IRCNetworkSettings {
        var settings = self
        settings.channels = []
        settings.connection.nickserv = nil
        let start = String(connection.nick.prefix(5))
        settings.connection.nick = start + "_chk"
        settings.connection.alternativeNicks = (2...9).map { "\(start)_ck\($0)" }
        return settings
    }
}
