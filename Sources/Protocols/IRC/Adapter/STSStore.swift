public import Base

/// Where a server's demand for TLS (IRCv3 sts) is kept, beyond the connection and its adapter.
@Loop public protocol STSStore: AnyObject {
    /// The host in lower case. May be one that has run out.
    func stsPolicy(of host: String) -> STSPolicy?
    /// nil forgets it.
    func save(stsPolicy: STSPolicy?, of host: String)
    /// The port that a plain connection was sent to. Kept in memory only, because anybody could have put it there, but
    /// for longer than an adapter lives: new settings must not bring plain text back.
    func demandedPort(of host: String) -> Int?
    /// nil forgets it.
    func save(demandedPort: Int?, of host: String)
}

public struct STSPolicy: Equatable, Sendable {
    /// The port on which TLS worked when the policy was told.
    public var port: Int
    /// As the server told it; counted anew at the end of each connection.
    public var duration: Duration
    public var expires: WallTime

    public init(port: Int, duration: Duration, expires: WallTime) {
        self.port = port
        self.duration = duration
        self.expires = expires
    }
}
