public import OpenSSL

public import Base

/// Where a network is and how it is reached.
public struct IRCEndpoint: Equatable, Sendable {
    public var host: String
    public var port: Int
    /// nil is plain text.
    public var tls: TLSSettings?
    /// How TLS is done on a network that is configured as plain text and demands TLS.
    public var tlsWhenDemanded = TLSSettings()
    /// May hold a password, so it is never shown.
    public var proxy: String?
    public var bindAddress: String?

    public init(host: String, port: Int, tls: TLSSettings?, proxy: String? = nil, bindAddress: String? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
        self.proxy = proxy
        self.bindAddress = bindAddress
    }
}

/// Makes links: the network in production, a script in tests.
@Loop public protocol IRCTransport: AnyObject {
    /// Begins to connect. The owner hears `opened` or `closed` later, never during the call; it is held weakly.
    func open(_ endpoint: IRCEndpoint, for owner: any IRCLinkOwner) -> any IRCLink
}

/// One connection, or the attempt at one.
@Loop public protocol IRCLink: AnyObject {
    func send(_ bytes: [UInt8])
    /// Ends it, also while it is being made; the owner hears nothing more.
    func close()
}

@Loop public protocol IRCLinkOwner: AnyObject {
    /// Bytes can be sent; over TLS the server's certificate has passed.
    func opened(_ link: any IRCLink)
    /// The bytes are only there during the call.
    func received(_ bytes: UnsafeRawBufferPointer, on link: any IRCLink)
    /// The end, told once.
    func closed(_ end: IRCLinkEnd, _ link: any IRCLink)
}

public struct IRCLinkEnd: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// The server closed the connection.
        case byPeer
        /// No connection, or it broke.
        case failed
        /// A certificate or file that stays wrong until somebody acts.
        case lasting
        /// Closed in the TLS handshake: how some servers refuse those who come too fast.
        case refused
    }

    public let kind: Kind
    /// For the log, without secrets.
    public let text: String

    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
