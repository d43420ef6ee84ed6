import Base
import Bot
import Chat
import Curl
import GiphySearch
import IRCAdapter
import MatrixAdapter
import Net
import State

/// `gifbot check --live`: tries servers, logins, rooms and keys, and says a line about each. It enters no room and says
/// nothing anywhere; on IRC it comes under another nick, so that a bot at work isn't disturbed.
@Loop final class LiveCheck {
    /// For each network and source.
    private static let limit = Duration.seconds(20)

    private let settings: Settings
    private let loop: EventLoop
    private let http = CurlClient(userAgent: "gifbot/\(Version.number)")
    private let say: (String) -> Void
    private(set) var isGood = true

    init(_ settings: Settings, loop: EventLoop, say: @escaping (String) -> Void) {
        self.settings = settings
        self.loop = loop
        self.say = say
    }

    /// All at the same time; each line comes when it is known.
    func run() async {
        let irc = settings.irc.map { network in Loop.start { await self.tryNetwork(network) } }
        let matrix = settings.matrix.map { account in Loop.start { await self.tryAccount(account) } }
        let sources = Loop.start { await self.trySources() }
        for task in irc + matrix + [sources] { await task.value }
        http.stop()
    }

    private func tell(_ name: String, _ isGood: Bool, _ text: String) {
        say("\(isGood ? "ok  " : "BAD ") \(name): \(text)")
        if !isGood { self.isGood = false }
    }

    // MARK: IRC

    private func tryNetwork(_ network: IRCNetworkSettings) async {
        let ears = LiveEars()
        let store = StateStore.inMemory(clock: loop, log: Log("state", to: ears))
        let adapter = IRCAdapter(
            settings: network.forLiveCheck, people: IRCPeople(),
            program: IRCProgram(version: Version.line, sourceURL: Version.source),
            transport: NetTransport(loop: loop, dialler: http), clock: loop, answered: store, policies: store,
            log: Log("irc", to: ears), handler: ears, random: { UInt64.random(in: .min ... .max) })
        adapter.start()
        let end = loop.now.advanced(by: Self.limit)
        await ears.wait(by: end, on: loop)
        let wanted = network.connection.login != nil
        let tls = network.connection.endpoint.tls == nil ? "in plain text" : "over TLS"
        if let trouble = ears.trouble {
            tell(network.name, false, trouble)
        } else if !adapter.isOnline {
            tell(network.name, false, "no welcome within \(Self.limit.secondsRoundedUp) s")
        } else if wanted, !ears.isLoggedIn {
            tell(network.name, false, "registered \(tls), but not logged in")
        } else {
            tell(network.name, true, "registered \(tls)\(wanted ? ", logged in" : "")")
        }
        await adapter.stop(by: loop.now.advanced(by: .seconds(4)))
        await store.close()
    }

    // MARK: Matrix

    private func tryAccount(_ account: MatrixAccountSettings) async {
        let probe = MatrixProbe(account, http: http, lookAtKeys: KeyLook(folder: settings.section.state).judge)
        let gate = Gate(clock: loop)
        let answer = LiveAnswer()
        let task = Loop.start {
            answer.findings = await probe.findings()
            gate.open()
        }
        await gate.wait(by: loop.now.advanced(by: Self.limit))
        task.cancel()
        let late = [MatrixProbe.Finding(isGood: false, "no answer within \(Self.limit.secondsRoundedUp) s")]
        for finding in answer.findings ?? late { tell(account.name, finding.isGood, finding.text) }
    }

    // MARK: Sources

    /// A search counts in its key's budget, so the state is needed; where a bot holds it, that bot keeps the count.
    private func trySources() async {
        let silent = Log("state", to: LiveEars())
        var store: StateStore?
        do throws(StateError) {
            store = try StateStore.open(folder: settings.section.state, clock: loop, log: silent)
        } catch {
            switch error {
            case .inUse: break
            case .newerVersion, .unusable: tell("state", false, error.description)
            }
        }
        let maker = SourceMaker(
            http: http, store: store ?? StateStore.inMemory(clock: loop, log: silent),
            stateFolder: settings.section.state, clock: loop)
        for source in maker.sources(for: settings.search) {
            guard store != nil || source.policy.defaultBudget == nil else {
                tell(source.name, true, "not tried: the bot that is running keeps this key's budget")
                continue
            }
            await trySource(source)
        }
        await store?.close()
    }

    private func trySource(_ source: any GifSource) async {
        let query = SearchQuery(words: "hello", rating: .g, language: "en", kind: .gif)
        do throws(SourceFailure) {
            let page = try await source.page(for: PageRequest(query), by: loop.now.advanced(by: .seconds(10)))
            tell(source.name, true, "answers; \(page.gifs.count) results for hello")
        } catch {
            tell(source.name, false, error.description)
        }
    }
}

/// What an account's probe found, once it is done.
@Loop private final class LiveAnswer {
    var findings: [MatrixProbe.Finding]?
}

/// Hears what an adapter tells its log, and lets every message pass.
@Loop private final class LiveEars: LogSink, ChatHandler {
    private(set) var trouble: String?
    private(set) var isLoggedIn = false
    private var isOnline = false
    private var told: Gate?

    nonisolated init() {}

    nonisolated func isEnabled(_ level: LogLevel) -> Bool { level >= .info }
    nonisolated func addSecret(_ secret: Secret) {}
    nonisolated func write(_ event: LogEvent) { Loop.post { self.heard(event) } }
    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {}
    func changed(_ change: ChatChange, from adapter: any ChatAdapter) {}

    private func heard(_ event: LogEvent) {
        switch event.message {
        case "online": isOnline = true
        case "logged in": isLoggedIn = true
        case "no connection", "the server has banned us", "the server refuses our login", "login failed":
            trouble = trouble ?? event.fields.first { $0.name == "reason" }?.value ?? event.message
        default: return
        }
        told?.open()
    }

    func wait(by end: Instant, on clock: any LoopClock) async {
        while !isOnline, trouble == nil, clock.now < end {
            let gate = Gate(clock: clock)
            told = gate
            await gate.wait(by: end)
        }
    }
}

extension IRCNetworkSettings {
    /// In no channel, silent, and under nicks that are not the bot's; nine characters, which every server allows.
    fileprivate var forLiveCheck: IRCNetworkSettings {
        var settings = self
        settings.channels = []
        settings.connection.nickserv = nil
        let start = String(connection.nick.prefix(5))
        settings.connection.nick = start + "_chk"
        settings.connection.alternativeNicks = (2...9).map { "\(start)_ck\($0)" }
        return settings
    }
}
