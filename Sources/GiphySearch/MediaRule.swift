/// Which links of a source may be posted: https on its own hosts, or what lies below an address the operator gave on his own
/// machine (a stand-in).
struct MediaRule: Sendable {
    /// `*.` in front stands for one or more labels.
    let hosts: [String]
    /// The same as bytes: what a host is, or what it ends with.
    private let endings: [(isWhole: Bool, bytes: [UInt8])]
    /// With a slash at the end.
    let loopbackBase: String?

    init(hosts: [String], base: String) {
        self.hosts = hosts
        endings = hosts.map { $0.hasPrefix("*") ? (false, Array($0.utf8.dropFirst())) : (true, Array($0.utf8)) }
        let isLoopback = WebAddress(base).map(\.isLoopback) ?? false
        loopbackBase = isLoopback ? (base.hasSuffix("/") ? base : base + "/") : nil
    }

    func allows(_ url: String) -> Bool {
        var copy = url
        return copy.withUTF8 { allows($0) }
    }

    /// A link as UTF-8.
    func allows(_ link: UnsafeBufferPointer<UInt8>) -> Bool {
        if isPlainlyAllowed(link) { return true }
        let url = String(decoding: link, as: UTF8.self)
        guard let address = WebAddress(url) else { return false }
        if let loopbackBase, url.utf8.starts(with: loopbackBase.utf8) { return true }
        return address.isSecure && (address.port ?? 443) == 443 && address.isOn(hosts)
    }

    /// The form nearly every link has: `https://`, a host in small letters, a slash. Judged on bytes, since a page holds a
    /// hundred of them.
    private func isPlainlyAllowed(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
        let first = 8
        guard url.count > first, url.count <= WebAddress.maximumLength,
            UnsafeRawPointer(url.baseAddress!).loadUnaligned(as: UInt64.self) == httpsScheme
        else { return false }
        var end = first
        while end < url.count, url[end] != UInt8(ascii: "/") {
            guard url[end].isPlainHostByte else { return false }
            end += 1
        }
        guard end < url.count,
            endings.contains(where: { isEnding($0.bytes, of: url, from: first, to: end, $0.isWhole) })
        else { return false }
        return UnsafeBufferPointer(rebasing: url[end...]).areAddressBytes
    }

    private func isEnding(
        _ ending: [UInt8], of url: UnsafeBufferPointer<UInt8>, from first: Int, to end: Int, _ isWhole: Bool
    ) -> Bool {
        let start = end - ending.count
        guard isWhole ? start == first : start > first else { return false }
        return ending.withUnsafeBufferPointer { ending in
            for index in 0..<ending.count where ending[index] != url[start + index] { return false }
            return true
        }
    }
}

extension UInt8 {
    fileprivate var isPlainHostByte: Bool {
        let letter = self &- UInt8(ascii: "a") < 26
        return letter || self &- UInt8(ascii: "0") < 10 || self == UInt8(ascii: ".") || self == UInt8(ascii: "-")
    }
}

/// `https://` as one number.
private let httpsScheme: UInt64 = 0x2F2F_3A73_7074_7468
