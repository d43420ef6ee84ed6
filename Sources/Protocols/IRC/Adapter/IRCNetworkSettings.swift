public import Base
public import IRC

/// One entry of `irc:` in the config, without the channel settings that the bot reads from the same mapping.
public struct IRCNetworkSettings: Equatable, Sendable {
    /// What can't change without a new connection.
    public struct Connection: Equatable, Sendable {
        public var endpoint: IRCEndpoint
        public var nick: String
        public var alternativeNicks: [String] = []
        public var username: String
        public var realname: String
        public var password: Secret?
        public var login: Login?
        public var nickserv: NickServ?
        public var flood: IRCSettings.Flood? = .usual

        public init(endpoint: IRCEndpoint, nick: String, username: String, realname: String) {
            self.endpoint = endpoint
            self.nick = nick
            self.username = username
            self.realname = realname
        }
    }

    public struct Login: Equatable, Sendable {
        public var username: String
        public var password: Secret?
        /// PEM of a private key on P-256.
        public var key: Secret?
        /// The strongest first; one that was named stands alone.
        public var mechanisms: [SASLMechanism]

        public init(
            username: String, password: Secret?, key: Secret? = nil, mechanisms: [SASLMechanism] = [.plain]
        ) {
            self.username = username
            self.password = password
            self.key = key
            self.mechanisms = mechanisms
        }
    }

    public struct NickServ: Equatable, Sendable {
        public var password: Secret
        /// How long channels wait for its answer.
        public var wait: Duration

        public init(password: Secret, wait: Duration = .seconds(10)) {
            self.password = password
            self.wait = wait
        }
    }

    public struct Channel: Equatable, Sendable {
        public var name: String
        public var key: Secret?

        public init(name: String, key: Secret? = nil) {
            self.name = name
            self.key = key
        }
    }

    public var name: String
    public var connection: Connection
    public var encoding = TextEncoding.latin1
    public var reconnect = IRCSettings.Waits(first: .seconds(5), longest: .minutes(10))
    /// nil: never.
    public var rejoin: IRCSettings.Waits? = .rejoin
    public var relays: [String] = []
    public var channels: [Channel] = []

    public init(name: String, connection: Connection) {
        self.name = name
        self.connection = connection
    }

    /// Whether these settings can only take effect over a new connection.
    public func needsNewSession(comparedTo old: IRCNetworkSettings) -> Bool {
        connection != old.connection
    }
}

/// What the rest of the config says about who is heard on a network.
public struct IRCPeople: Equatable, Sendable {
    /// Services accounts from `bot.admins`, without the network's name.
    public var admins: [String]
    /// `nick!user@host` masks, and names that are a nick or an account, without the network's name.
    public var ignored: [String]
    /// What a command may begin with, of all prefixes in force on this network.
    public var triggers: [String]
    /// What stands behind these: all command words in force on this network.
    public var commands: [String]
    /// The longest age at which a command is answered somewhere on this network.
    public var ageLimit: Duration

    public init(
        admins: [String] = [], ignored: [String] = [], triggers: [String] = ["!"], commands: [String] = ["gif"],
        ageLimit: Duration = .minutes(2)
    ) {
        self.admins = admins
        self.ignored = ignored
        self.triggers = triggers
        self.commands = commands
        self.ageLimit = ageLimit
    }

    /// A nick or an account, and no mask.
    static func isName(_ text: String) -> Bool {
        !text.utf8.contains { "!@*?".utf8.contains($0) }
    }
}

extension IRCNetworkSettings {
    func session(_ people: IRCPeople, _ program: IRCProgram) -> IRCSettings {
        var session = IRCSettings(nick: connection.nick)
        session.alternativeNicks = connection.alternativeNicks
        session.username = connection.username
        session.realname = connection.realname
        session.password = connection.password?.value
        session.sasl = connection.login.map {
            IRCSettings.Login(username: $0.username, password: $0.password?.value, mechanisms: $0.mechanisms)
        }
        session.nickservPassword = connection.nickserv?.password.value
        session.nickservWait = connection.nickserv?.wait ?? session.nickservWait
        session.encoding = encoding
        session.flood = connection.flood
        session.rejoin = rejoin
        session.channels = channels.map { IRCSettings.Channel($0.name, key: $0.key?.value) }
        session.relays = relays
        session.admins = people.admins
        session.ignored = people.ignored.map { Mask(IRCPeople.isName($0) ? $0 + "!*@*" : $0) }
        session.triggers = people.triggers
        session.commands = people.commands
        session.ageLimit = people.ageLimit
        session.version = program.version
        session.sourceURL = program.sourceURL
        return session
    }
}

/// What CTCP VERSION and SOURCE tell.
public struct IRCProgram: Equatable, Sendable {
    public var version: String
    public var sourceURL: String

    public init(version: String = "gifbot", sourceURL: String = "") {
        self.version = version
        self.sourceURL = sourceURL
    }
}
