/// A channel, room or private talk as settings and limits know it.
///
/// `name` is the spelling in the config where there is an entry (matched by the network's own rules), else the folded
/// name, so that two spellings of one channel are one conversation.
public struct Conversation: Hashable, Sendable {
    public let network: String
    public let name: String
    /// A private message or a direct chat.
    public let isDirect: Bool

    public init(network: String, name: String, isDirect: Bool) {
        self.network = network
        self.name = name
        self.isDirect = isDirect
    }
}

public struct Sender: Hashable, Sendable {
    public let identity: Identity
    /// What people call them: nick, or user id.
    public let name: String
    /// Named in `bot.admins` by verified identity.
    public let isAdmin: Bool
    /// IRC `+o` and above, Matrix power level 50 and above, in this conversation.
    public let isOperator: Bool

    /// Who a limit counts.
    public var key: String { identity.key }

    public init(identity: Identity, name: String, isAdmin: Bool, isOperator: Bool) {
        self.identity = identity
        self.name = name
        self.isAdmin = isAdmin
        self.isOperator = isOperator
    }
}

/// A message of a person, of now. Notices, actions, own messages, other bots, ignored people and replayed history
/// never become one: each adapter drops them, since it knows its protocol's signs.
public struct ChatMessage: Sendable {
    /// The protocol's id of the message, where it has one.
    public let id: String?
    public let conversation: Conversation
    public let sender: Sender
    /// Without formatting codes, reply fall-back, and an address of the bot in front (`gifbot:`).
    public let text: String
    /// The bot was addressed by name or mention, so no prefix is needed.
    public let isAddressed: Bool
    /// How old the message was when it came, as far as the protocol tells.
    public let age: Duration
    /// Where the adapter sends an answer: its own business, handed back unread.
    public let address: String

    public init(
        id: String?, conversation: Conversation, sender: Sender, text: String, isAddressed: Bool, age: Duration,
        address: String
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.text = text
        self.isAddressed = isAddressed
        self.age = age
        self.address = address
    }
}
