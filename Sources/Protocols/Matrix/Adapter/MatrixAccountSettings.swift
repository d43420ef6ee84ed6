public import Base
import Matrix

/// One entry of the config's `matrix` list: how to sign in, whom to follow into rooms. What is said in rooms is the
/// bot's own section.
public struct MatrixAccountSettings: Equatable, Sendable {
    public enum SignIn: Equatable, Sendable {
        case accessToken(Secret)
        /// Used once; the device it makes is kept.
        case password(Secret)
        /// A device that `gifbot login` signed in.
        case stored
    }

    /// The name of the network in settings and logs.
    public var name: String
    /// `https:`, or `http:` on loopback; without a slash at the end. Nil: found by the server's name in `user`.
    public var homeserver: String?
    /// Full user id. With a token it may be left out, since the server knows it.
    public var user: String?
    public var signIn: SignIn
    public var displayName: String?
    /// The path of a picture, or an `mxc:` address.
    public var avatar: String?
    public var deviceName: String
    /// Shows that it types while a search takes long.
    public var typing = true
    /// Encrypted rooms are read and answered; else they are left alone.
    public var encryption = true
    /// Of people without cross-signing no device gets keys or is read.
    public var crossSignedOnly = false
    /// Opens the account's cross-signing keys, where it has some that the bot doesn't hold.
    public var recoveryKey: Secret?
    /// Puts the marks that page and undo on each answer, for people to press.
    public var buttons = false
    /// An answer that couldn't be sent for so long is given up.
    public var sendWithin: Duration = Outbox.usualPatience
    public var invites: InvitePolicy
    /// Room ids and aliases as written.
    public var rooms: [String]

    public init(
        name: String, homeserver: String?, user: String?, signIn: SignIn, displayName: String? = nil,
        deviceName: String = "gifbot", invites: InvitePolicy = .admins, rooms: [String] = []
    ) {
        self.name = name
        self.homeserver = homeserver
        self.user = user
        self.signIn = signIn
        self.displayName = displayName
        self.deviceName = deviceName
        self.invites = invites
        self.rooms = rooms
    }

    /// Whether these settings can only take effect with a new sign-in.
    public func needsNewSession(comparedTo old: MatrixAccountSettings) -> Bool {
        homeserver != old.homeserver || user != old.user || signIn != old.signIn || encryption != old.encryption
            || recoveryKey != old.recoveryKey || crossSignedOnly != old.crossSignedOnly
    }
}
