extension IRCSession {
    /// What the caller has to do, in this order.
    public enum Effect: Equatable, Sendable {
        /// Bytes of one whole line with CR LF.
        case send([UInt8])
        case emit(IRCEvent)
        /// To be done outside, its result handed to `worked`.
        case work(LoginWork)
        /// The connection is over; nothing comes after it.
        case close(CloseReason)
    }

    public enum SayResult: Equatable, Sendable {
        /// Sent or queued.
        case accepted
        case notOnline
        case notJoined
        /// The channel doesn't let us speak for now.
        case silenced
        case queueFull
    }
}

/// What happened, for the log and for the bot.
public enum IRCEvent: Equatable, Sendable {
    /// Registration is over; the nick is the one the server gave.
    case online(nick: String)
    case message(IncomingMessage)
    /// Somebody took a message back that came as `message` before: its id, without its text.
    case redacted(IncomingMessage)
    case joined(channel: String)
    /// `by` and `reason` are the server's words.
    case kicked(channel: String, by: String, reason: String)
    case left(channel: String)
    /// The server's number and words. `isFinal`: not tried again on this connection.
    case joinRefused(channel: String, code: String, reason: String, isFinal: Bool)
    /// Our text was not delivered; nothing is said there for a while.
    case cannotSpeak(target: String, code: String, reason: String)
    case nickChanged(String)
    case loggedIn(account: String)
    /// Services took our login back.
    case loggedOut
    /// A login after the welcome failed; the session goes on without.
    case loginTrouble(String)
    /// How the server wants to be reached from now on.
    case strictTransport(StrictTransport)
    /// Answers that waited too long and were thrown away.
    case answersDropped(Int)
    /// The server refused something else.
    case refused(code: String, reason: String)
    /// The server has something to say that changes nothing (WARN, NOTE).
    case noted(code: String, text: String)
}

/// A message of a person, of now.
public struct IncomingMessage: Equatable, Sendable {
    /// The channel as the server spelled it, without a rank in front; the sender's nick for a private message.
    public var conversation: String
    public var isPrivate: Bool
    /// Where an answer goes: `@#cats` for a message to the operators of `#cats` alone.
    public var replyTarget: String
    /// The person behind a relay, where there is one.
    public var nick: String
    /// Who sent the line: the relay, where there is one.
    public var relayNick: String
    public var user: String
    public var host: String
    /// The services account, as far as the server tells.
    public var account: String?
    /// The text came through a relay: `account` and `host` are the relay's.
    public var isRelayed: Bool
    public var isOperator: Bool
    /// Without formatting codes and without our nick in front.
    public var text: String
    public var isAddressed: Bool
    public var id: String?
    /// By the server's clock; zero where it doesn't tell.
    public var age: Duration
}

/// Why a session is over, and so when the next one should begin.
public struct CloseReason: Equatable, Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// We said QUIT.
        case asked
        case normal
        /// We came too fast: wait longer.
        case throttled
        /// Come back hardly ever.
        case banned
        /// The server looked at our password, key or certificate and refused it.
        case loginFailed = "login-failed"
        /// No login at present: services are away, the mechanism isn't offered, no answer.
        case loginUnavailable = "login-unavailable"
        case killed
        /// The server wants TLS: come back with it, at once.
        case insecure
    }

    public let kind: Kind
    /// For the log: the server's words or ours.
    public let text: String

    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
