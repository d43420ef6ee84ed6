/// What a server demands of connections to it (IRCv3 sts). Each half counts only on its kind of connection.
public enum StrictTransport: Equatable, Sendable {
    /// On a plain connection: leave it, and come back over TLS on this port.
    case upgrade(port: Int)
    /// On TLS: no plain connections to this host for so many seconds; 0 lifts that.
    case keep(seconds: Int64)

    /// Ten years; more is as good as for ever, and sums with it stay in range.
    static let longest: Int64 = 315_360_000

    /// Reads the capability's value, `duration=2592000,port=6697`; nil where the half that counts is missing or wrong.
    init?(_ value: String, isSecure: Bool) {
        let wanted = isSecure ? "duration=" : "port="
        guard let text = value.split(separator: ",").first(where: { $0.hasPrefix(wanted) })?.dropFirst(wanted.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), !text.isEmpty
        else { return nil }
        let number = Int64(text) ?? .max
        if isSecure {
            self = .keep(seconds: min(number, Self.longest))
        } else {
            guard 1...65535 ~= number else { return nil }
            self = .upgrade(port: Int(number))
        }
    }
}

extension IRCSession {
    /// Looks at what a CAP LS or NEW has brought, before anything else is done with it.
    mutating func strictTransport(_ effects: inout [Effect]) {
        guard let value = capabilities.offered["sts"],
            let demand = StrictTransport(value, isSecure: settings.isSecure), demand != toldTransport
        else { return }
        toldTransport = demand
        effects.append(.emit(.strictTransport(demand)))
        if case .upgrade(let port) = demand {
            close(CloseReason(.insecure, "the server wants TLS, on port \(port)"), &effects)
        }
    }
}
