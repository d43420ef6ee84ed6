import Base
import IRC
import OpenSSL

/// Sees to it that a network which has once demanded TLS is never reached without it again (IRCv3 sts).
///
/// What a plain connection is told holds until TLS has said more, and only as long as the process: anybody could have
/// put it there. What is told over TLS is stored, by host name, and holds for as long as it says. Neither is given up
/// because TLS fails: that may be somebody's intention.
@Loop struct STSKeeper {
    private let store: any STSStore
    private let clock: any LoopClock
    /// What the present connection was told, to be counted anew at its end.
    private var current: (host: String, policy: STSPolicy)?

    init(store: any STSStore, clock: any LoopClock) {
        self.store = store
        self.clock = clock
    }

    /// The configured endpoint, or the one that has to be used instead of it.
    func endpoint(_ configured: IRCEndpoint) -> IRCEndpoint {
        guard configured.tls == nil,
            let port = store.demandedPort(of: Self.name(configured)) ?? livePolicy(configured)?.port
        else { return configured }
        var endpoint = configured
        endpoint.port = port
        endpoint.tls = configured.tlsWhenDemanded
        // Pins or a CA of the operator's hold here too; but what was demanded is a TLS that can be trusted.
        endpoint.tls?.verifies = true
        return endpoint
    }

    /// What the connection over `endpoint` was told. The core tells each half only on its kind of connection.
    mutating func told(_ demand: StrictTransport, over endpoint: IRCEndpoint) {
        switch demand {
        case .upgrade(let port): store.save(demandedPort: port, of: Self.name(endpoint))
        case .keep(0):
            store.save(demandedPort: nil, of: Self.name(endpoint))
            current = nil
            store.save(stsPolicy: nil, of: Self.name(endpoint))
        case .keep(let seconds):
            let duration = Duration.seconds(seconds)
            store.save(demandedPort: nil, of: Self.name(endpoint))
            let policy = STSPolicy(
                port: endpoint.port, duration: duration, expires: clock.wall.advanced(by: duration))
            current = (Self.name(endpoint), policy)
            store.save(stsPolicy: policy, of: Self.name(endpoint))
        }
    }

    /// The connection is over: its policy holds for its whole duration from now on.
    mutating func disconnected() {
        guard let (host, policy) = current else { return }
        current = nil
        var extended = policy
        extended.expires = clock.wall.advanced(by: policy.duration)
        store.save(stsPolicy: extended, of: host)
    }

    private func livePolicy(_ endpoint: IRCEndpoint) -> STSPolicy? {
        store.stsPolicy(of: Self.name(endpoint)).flatMap { $0.expires > clock.wall ? $0 : nil }
    }

    private static func name(_ endpoint: IRCEndpoint) -> String {
        let host = endpoint.host.lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }
}
