import Base
import Bot
import Chat
import Curl
import Net

/// One entry of the config that becomes a connection: a network, or an account. A chat protocol is one conformer, in a file of
/// its own beside this one, and a line in `Settings.protocols`.
protocol ConfiguredNetwork: Sendable {
    associatedtype Adapter: NetworkAdapter

    static var kind: NetworkKind { get }

    /// Reads the connection's keys of an entry. Faults go into the map's context; nil if there is no use in going on.
    /// `finish()` is left to who reads the channel settings from the same mappings.
    static func read(_ map: ConfigMap) -> (network: Self, conversations: [(name: String, map: ConfigMap?)])?

    var name: String { get }
    /// The channels or rooms of the config, as `Conversation.name` has them.
    var conversations: [String] { get }
    /// Whether it wants libolm.
    var encrypts: Bool { get }

    /// For `check`: where it connects to, how, and as whom.
    var summary: String { get }
    /// For `check`: what is allowed and yet perhaps not meant.
    func advice(_ program: BotSectionSettings) -> [String]
    /// What a reload changes, in a few words; nil for nothing.
    func change(from old: Self) -> String?

    @Loop func adapter(in assembly: Assembly, of settings: Settings, handler: any ChatHandler) -> Adapter
    /// Tries server and login without taking part in anything, for `check --live`.
    @Loop func probe(with means: ProbeMeans) async -> [Finding]
}

extension ConfiguredNetwork {
    var encrypts: Bool { false }

    func change(fromAny old: any ConfiguredNetwork) -> String? {
        guard let old = old as? Self else { return "\(Self.kind.section) now" }
        return change(from: old)
    }
}

/// What is the same for all networks of a protocol.
struct NetworkKind: Sendable {
    /// The section of the config, and the list in each of its entries.
    let section: String
    let conversations: String
    /// What a command begins with where no layer says it.
    let prefixes: [String]
    /// People are `network/account` in the config; else they have ids that are good everywhere.
    let namesPeopleByNetwork: Bool
    /// Answers can hold the picture itself.
    let showsMedia: Bool
}

/// An adapter that goes on over a reload.
@Loop protocol NetworkAdapter: ChatAdapter {
    /// Takes new settings up; false when its network isn't among them any more, or needs a new connection.
    func take(_ settings: Settings) -> Bool
    /// In a few words, for admins.
    var standing: String { get }
}

/// What a probe works with, and how long.
@Loop struct ProbeMeans {
    let http: CurlClient
    let loop: EventLoop
    /// A bot may be at work there.
    let stateFolder: String
    let limit: Duration
}
