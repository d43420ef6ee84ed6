import Base
import Chat
import OpenSSL
import IRC
import TestSupport

@testable import IRCAdapter

/// The network in memory: every attempt is recorded, and the test plays the server.
@Loop final class FakeTransport: IRCTransport {
    private(set) var endpoints: [IRCEndpoint] = []
    private(set) var current: FakeLink?
    /// Attempts whose links still exist.
    var living: Int { links.filter { $0.link != nil }.count }

    private struct Weak {
        weak var link: FakeLink?
    }
    private var links: [Weak] = []

    func open(_ endpoint: IRCEndpoint, for owner: any IRCLinkOwner) -> any IRCLink {
        let link = FakeLink(owner)
        endpoints.append(endpoint)
        links.append(Weak(link: link))
        current = link
        return link
    }
}

@Loop final class FakeLink: IRCLink {
    private weak var owner: (any IRCLinkOwner)?
    private(set) var writes: [[UInt8]] = []
    private(set) var isClosed = false

    init(_ owner: any IRCLinkOwner) {
        self.owner = owner
    }

    func send(_ bytes: [UInt8]) { writes.append(bytes) }
    func close() { isClosed = true }

    func open() { owner?.opened(self) }
    func end(_ end: IRCLinkEnd) { owner?.closed(end, self) }

    func receive(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { owner?.received($0, on: self) }
    }

    /// What was sent since the last call, line by line.
    func sent() -> [String] {
        defer { writes = [] }
        return writes.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\r\n").map { String($0) } }
    }
}

/// A store that lasts as long as the test.
@Loop final class MemoryPolicies: STSStore {
    var policies: [String: STSPolicy] = [:]

    func stsPolicy(of host: String) -> STSPolicy? { policies[host] }
    func save(stsPolicy: STSPolicy?, of host: String) { policies[host] = stsPolicy }

    private var ports: [String: Int] = [:]
    func demandedPort(of host: String) -> Int? { ports[host] }
    func save(demandedPort: Int?, of host: String) { ports[host] = demandedPort }
}

/// Keeps what people said, and answers at once when told to.
@Loop final class Listener: ChatHandler {
    private(set) var changes: [ChatChange] = []
    private(set) var messages: [ChatMessage] = []
    private(set) var outcomes: [SendOutcome] = []
    var answer: Reply?

    func changed(_ change: ChatChange, from adapter: any ChatAdapter) { changes.append(change) }

    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {
        messages.append(message)
        if let answer { outcomes.append(adapter.send(answer, to: message)) }
    }
}

/// An adapter with everything around it played by hand.
@Loop struct Network {
    let transport = FakeTransport()
    let clock = ManualClock()
    let listener = Listener()
    let sink = RecordingLog()
    let answered: AnsweredInMemory
    let policies: MemoryPolicies
    let adapter: IRCAdapter

    init(
        _ change: (inout IRCNetworkSettings) -> Void = { _ in }, people: IRCPeople = IRCPeople(),
        answered: AnsweredInMemory = AnsweredInMemory(), policies: MemoryPolicies = MemoryPolicies()
    ) {
        self.answered = answered
        self.policies = policies
        var random: UInt64 = 1
        adapter = IRCAdapter(
            settings: Network.settings(change), people: people, transport: transport, clock: clock, answered: answered,
            policies: policies, log: Log("irc", to: sink), handler: listener,
            random: {
                random = random &* 6_364_136_223_846_793_005 &+ 1
                return random
            })
    }

    nonisolated static func settings(_ change: (inout IRCNetworkSettings) -> Void = { _ in }) -> IRCNetworkSettings {
        var settings = IRCNetworkSettings(
            name: "test",
            connection: IRCNetworkSettings.Connection(
                endpoint: IRCEndpoint(host: "irc.example.test", port: 6697, tls: .init()), nick: "gifbot",
                username: "gifbot", realname: "gifbot"))
        settings.channels = [IRCNetworkSettings.Channel(name: "#Cats")]
        change(&settings)
        return settings
    }

    var link: FakeLink { transport.current! }

    func receive(_ lines: String...) {
        link.receive(Array(lines.map { $0 + "\r\n" }.joined().utf8))
    }

    func welcome() {
        link.open()
        receive(":irc.test 001 gifbot :hi", ":irc.test 376 gifbot :end")
    }

    /// Started, welcomed, in the channel; what was sent till then is forgotten.
    func join() {
        adapter.start()
        welcome()
        receive(":gifbot!~gifbot@host JOIN #cats")
        _ = link.sent()
    }

    /// Moves the clock until the next attempt; the wait.
    func waitForAttempt() -> Duration {
        let before = transport.endpoints.count
        let start = clock.now
        while transport.endpoints.count == before, let due = clock.nextDue {
            clock.advance(by: clock.now.duration(to: due))
        }
        return start.duration(to: clock.now)
    }
}
