/// What a session needs to know about its network. The secrets in it never go into an event.
public struct IRCSettings: Equatable, Sendable {
    public struct Channel: Equatable, Sendable {
        public var name: String
        public var key: String?

        public init(_ name: String, key: String? = nil) {
            self.name = name
            self.key = key
        }
    }

    /// SASL.
    public struct Login: Equatable, Sendable {
        /// May be empty where a certificate says who we are.
        public var username: String
        public var password: String?
        /// What may be used, the strongest first. One that was asked for by name stands alone here, so that it is never
        /// exchanged for a weaker one.
        public var mechanisms: [SASLMechanism]

        public init(username: String, password: String?, mechanisms: [SASLMechanism] = [.plain]) {
            self.username = username
            self.password = password
            self.mechanisms = mechanisms
        }
    }

    /// `lines` may go out at once, then one each `interval`.
    public struct Flood: Equatable, Sendable {
        public var lines: Int
        public var interval: Duration

        public static let usual = Flood(lines: 5, interval: .seconds(2))

        public init(lines: Int, interval: Duration) {
            self.lines = lines
            self.interval = interval
        }
    }

    /// Waits before something is tried again: `first`, doubled up to `longest`.
    public struct Waits: Equatable, Sendable {
        public var first: Duration
        public var longest: Duration

        public static let rejoin = Waits(first: .seconds(30), longest: .seconds(1800))

        public init(first: Duration, longest: Duration) {
            self.first = first
            self.longest = longest
        }
    }

    public var nick: String
    public var alternativeNicks: [String] = []
    public var username = "gifbot"
    public var realname = "gifbot"
    /// Server password (PASS).
    public var password: String?
    /// Login is required when this is set: without it the session ends.
    public var sasl: Login?
    /// For NickServ IDENTIFY, the old way.
    public var nickservPassword: String?
    /// How long channels wait for NickServ's answer.
    public var nickservWait = Duration.seconds(10)
    /// The connection is over TLS.
    public var isSecure = true
    public var encoding = TextEncoding.latin1
    /// nil: lines go out as they come.
    public var flood: Flood? = .usual
    /// nil: a channel that is lost stays lost until the next connection or an invitation.
    public var rejoin: Waits? = .rejoin
    public var channels: [Channel] = []
    /// Accounts that may invite us. Where there are any, a sender's account is found out by WHO and WHOIS if need be.
    public var admins: [String] = []
    /// Accounts, or nicks where there are no accounts, of bridges, whose `<name> text` counts as that person's.
    public var relays: [String] = []
    /// `nick!user@host` patterns of people who are never heard.
    public var ignored: [Mask] = []
    /// What a command can begin with; a channel line that begins otherwise, and not with our nick, is dropped unread.
    public var triggers = ["!"]
    /// The words of commands, which stand behind a trigger or our nick.
    public var commands = ["gif"]
    /// For CTCP VERSION and SOURCE.
    public var version = "gifbot"
    public var sourceURL = ""
    /// From the connection to the welcome.
    public var registrationLimit = Duration.seconds(60)
    /// For each answer of the server before the welcome.
    public var stepLimit = Duration.seconds(30)
    /// Silence before we ask whether the server is there; the connection is given up after as long again.
    public var quietLimit = Duration.seconds(90)
    /// Answers that waited longer than this are not sent any more.
    public var answerLimit = Duration.seconds(30)
    /// How long QUIT waits for the server's close.
    public var quitLimit = Duration.seconds(3)
    /// Messages that are older by the server's time are not handed over.
    public var ageLimit = Duration.seconds(120)

    public init(nick: String) {
        self.nick = nick
    }
}
