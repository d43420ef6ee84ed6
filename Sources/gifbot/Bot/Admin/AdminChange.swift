public import Base
import Chat

/// One thing that was set by chat and is still in force, or would be if nothing later were.
public struct AdminChange: Hashable, Sendable {
    /// What it holds for.
    public enum Reach: Hashable, Sendable {
        case channel(network: String, name: String)
        /// The limit that counts a whole network.
        case network(String)
        /// The limit that counts the whole bot.
        case bot
    }

    /// Grows, and none is used twice.
    public let number: Int64
    public let reach: Reach
    public let setting: AdminSetting
    /// By a bot admin; else by an operator of the channel.
    public let isByAdmin: Bool
    /// `network/account`, a Matrix user id, or what else is known of an operator.
    public let who: String
    public let at: WallTime

    public init(
        number: Int64, reach: Reach, setting: AdminSetting, isByAdmin: Bool, who: String, at: WallTime
    ) {
        self.number = number
        self.reach = reach
        self.setting = setting
        self.isByAdmin = isByAdmin
        self.who = who
        self.at = at
    }
}

extension AdminChange.Reach {
    /// A private talk has no settings of its own.
    init?(_ conversation: Conversation) {
        guard !conversation.isDirect else { return nil }
        self = .channel(network: conversation.network, name: conversation.name)
    }

    /// For people: `libera/#cats`.
    public var text: String {
        switch self {
        case .channel(let network, let name): "\(network)/\(name)"
        case .network(let network): network
        case .bot: "everywhere"
        }
    }
}

/// One line of the record of who changed what.
public struct AuditEntry: Hashable, Sendable {
    public let number: Int64
    public let at: WallTime
    public let who: String
    /// `libera/#cats`, or where the command was given.
    public let place: String
    /// In the words of the command.
    public let what: String

    public init(number: Int64, at: WallTime, who: String, place: String, what: String) {
        self.number = number
        self.at = at
        self.who = who
        self.place = place
        self.what = what
    }
}
