import Base
import Bot
import Chat
import Curl
import IRCAdapter
import Net
import State

extension IRCNetworkSettings: ConfiguredNetwork {
    static let kind = NetworkKind(
        section: "irc", conversations: "channels", prefixes: ["!"], namesPeopleByNetwork: true, showsMedia: false)

    static func read(
        _ map: ConfigMap
    ) -> (network: IRCNetworkSettings, conversations: [(name: String, map: ConfigMap?)])? {
        decode(map).map { ($0.settings, $0.channels) }
    }

    var conversations: [String] { channels.map(\.name) }

    var summary: String {
        let endpoint = connection.endpoint
        let tls = endpoint.tls == nil ? "plain text" : "TLS"
        return "\(endpoint.host):\(endpoint.port), \(tls), as \(connection.nick)"
    }

    func advice(_ program: BotSectionSettings) -> [String] {
        var lines: [String] = []
        if program.admins(of: name).isEmpty {
            lines.append("no bot admin is named, so nobody can administer the bot from there")
        } else if connection.login == nil, connection.nickserv == nil {
            lines.append("the bot doesn't log in; on a network without services nobody can be known as a bot admin")
        }
        if connection.endpoint.tls == nil, connection.login != nil {
            lines.append("the login goes in plain text, which is allowed to a loopback address alone")
        }
        return lines
    }

    func change(from old: IRCNetworkSettings) -> String? {
        if needsNewSession(comparedTo: old) { return "connects anew" }
        return SettingsChanges.moves(old.conversations, conversations, in: "joins", out: "leaves")
            ?? (self == old ? nil : "other settings")
    }

    func adapter(in assembly: Assembly, of settings: Settings, handler: any ChatHandler) -> IRCAdapter {
        IRCAdapter(
            settings: self, people: settings.people(of: self), program: .gifbot,
            transport: NetTransport(loop: assembly.loop, dialler: assembly.http), clock: assembly.loop,
            answered: assembly.store, policies: assembly.store, log: assembly.log.area("irc"), handler: handler,
            random: Self.random)
    }

    func probe(with means: ProbeMeans) async -> [Finding] {
        let store = StateStore.inMemory(clock: means.loop, log: Log("state", to: Silence()))
        let probe = IRCProbe(
            self, program: .gifbot, transport: NetTransport(loop: means.loop, dialler: means.http), clock: means.loop,
            answered: store, policies: store, log: Log("irc", to: Silence()), random: Self.random)
        let finding = await probe.finding(within: means.limit)
        await store.close()
        return [finding]
    }

    private static func random() -> UInt64 { .random(in: .min ... .max) }
}

extension IRCAdapter: NetworkAdapter {
    func take(_ settings: Settings) -> Bool {
        guard let now = settings.network(named: network) as? IRCNetworkSettings else { return false }
        return update(settings: now, people: settings.people(of: now))
    }

    var standing: String { isOnline ? "online" : "not connected" }
}

extension IRCProgram {
    fileprivate static let gifbot = IRCProgram(version: Version.line, sourceURL: Version.source)
}

extension Settings {
    /// Who is who on a network, with what a command can begin there, and how old it may be.
    func people(of network: IRCNetworkSettings) -> IRCPeople {
        IRCPeople(
            admins: program.admins(of: network.name), ignored: program.ignored(on: network.name),
            triggers: bot.prefixes(on: network.name), commands: bot.words(on: network.name),
            ageLimit: bot.longestAge(on: network.name))
    }
}
