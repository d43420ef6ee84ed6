/// Which links of a source may be posted: https on its own hosts, or what lies below an address the operator gave on his own
/// machine (a stand-in).
struct MediaRule: Sendable, Equatable {
    /// `*.` in front stands for one or more labels.
    let hosts: [String]
    /// With a slash at the end.
    let loopbackBase: String?

    init(hosts: [String], base: String) {
        self.hosts = hosts
        let isLoopback = WebAddress(base).map(\.isLoopback) ?? false
        loopbackBase = isLoopback ? (base.hasSuffix("/") ? base : base + "/") : nil
    }

    func allows(_ url: String) -> Bool {
        var copy = url
        if copy.withUTF8({ isPlainlyAllowed($0) }) { return true }
        guard let address = WebAddress(url) else { return false }
        if let loopbackBase, url.utf8.starts(with: loopbackBase.utf8) { return true }
        return address.isSecure && (address.port ?? 443) == 443 && address.isOn(hosts)
    }

    /// The form nearly every link has: `https://`, a host in small letters, a slash. Judged on bytes, since a page holds a
    /// hundred of them.
    private func isPlainlyAllowed(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        let scheme: StaticString = "https://"
        let first = scheme.utf8CodeUnitCount
        guard url.count > first, url.count <= WebAddress.maximumLength else { return false }
        guard url.prefix(first).elementsEqual(UnsafeBufferPointer(start: scheme.utf8Start, count: first)) else {
            return false
        }
        var end = first
        while end < url.count, url[end] != UInt8(ascii: "/") {
            guard url[end].isPlainHostByte else { return false }
            end += 1
        }
        guard end < url.count else { return false }
        let host = UnsafeBufferPointer(rebasing: url[first..<end])
        return hosts.contains { isHost(host, matching: $0) } && url[end...].allSatisfy { $0.isAddressByte }
    }

    private func isHost(_ host: UnsafeBufferPointer<UInt8>, matching pattern: String) -> Bool {
        let pattern = pattern.utf8
        guard pattern.first == UInt8(ascii: "*") else { return host.elementsEqual(pattern) }
        let suffix = pattern.dropFirst()
        return host.count > suffix.count && host.suffix(suffix.count).elementsEqual(suffix)
    }
}

extension UInt8 {
    fileprivate var isPlainHostByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
