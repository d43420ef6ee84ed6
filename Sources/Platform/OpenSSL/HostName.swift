import Glibc

/// A host as a certificate is checked against: a name, or an IP address (RFC 6066 section 3 forbids the latter in SNI).
enum HostName: Equatable {
    case name(String)
    case address(String)

    /// Takes off the brackets of an address in a URL, and the dot at the end of a full name.
    init(_ host: String) {
        var host = host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        var room = in6_addr()
        if inet_pton(AF_INET, host, &room) == 1 || inet_pton(AF_INET6, host, &room) == 1 {
            self = .address(host)
        } else {
            self = .name(host.hasSuffix(".") ? String(host.dropLast()) : host)
        }
    }
}
