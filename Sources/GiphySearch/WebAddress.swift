import Base

/// As much of an http(s) address as has to be known before it is trusted (RFC 3986, section 3).
struct WebAddress: Equatable {
    /// Bytes.
    static let maximumLength = 2048

    let isSecure: Bool
    /// Lower case, brackets of an IPv6 address left out.
    let host: String
    let port: Int?
    /// From the slash, question mark or hash on.
    let rest: Substring

    /// Nil for other schemes, user names, and anything that isn't printable ASCII.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ $0.isAddressByte }) else { return nil }
        let behind: Substring
        if let rest = text.dropPrefix("https://") {
            (isSecure, behind) = (true, rest)
        } else if let rest = text.dropPrefix("http://") {
            (isSecure, behind) = (false, rest)
        } else {
            return nil
        }
        let authority = behind.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        rest = behind[authority.endIndex...]
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let name: Substring
        let portText: Substring?
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = authority[authority.index(after: authority.startIndex)..<end]
            let tail = authority[authority.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
            portText = tail.isEmpty ? nil : tail.dropFirst()
        } else {
            let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { return nil }
            name = parts[0]
            portText = parts.count == 2 ? parts[1] : nil
        }
        guard !name.isEmpty else { return nil }
        host = name.lowercased()
        if let portText {
            guard let number = Int(portText), (1...65535).contains(number) else { return nil }
            port = number
        } else {
            port = nil
        }
    }

    var isLoopback: Bool { Base.isLoopback(host: host) }

    /// `*.example.org` stands for names below it, not for itself.
    func isOn(_ hosts: [String]) -> Bool {
        hosts.contains { pattern in
            guard let suffix = pattern.dropPrefix("*") else { return host == pattern }
            return host.count > suffix.count && host.hasSuffix(suffix)
        }
    }
}

extension String {
    fileprivate func dropPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

extension UInt8 {
    /// Printable, and none of the marks that end an address in a chat line or in HTML, or that RFC 3986 leaves out.
    var isAddressByte: Bool {
        guard self < 0x80 else { return false }
        return (self < 64 ? lowAddressBytes : highAddressBytes) &>> UInt64(self & 63) & 1 == 1
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Each is an `isAddressByte`.
    var areAddressBytes: Bool {
        var place = 0
        while place + 8 <= count {
            let word = UnsafeRawPointer(baseAddress! + place).loadUnaligned(as: UInt64.self)
            if !word.isPlainAddress, !(place..<place + 8).allSatisfy({ self[$0].isAddressByte }) { return false }
            place += 8
        }
        while place < count {
            guard self[place].isAddressByte else { return false }
            place += 1
        }
        return true
    }
}

extension UInt64 {
    /// Eight bytes at once: true only where each is an address byte, and for nearly all such words. What stands in no address
    /// below `{` are the quote, `<` and `>`, `\` and `^`, and the grave accent; the two pairs differ in one bit each. A mark may be
    /// wrong only behind a right one, so no word passes by mistake.
    fileprivate var isPlainAddress: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let paired = self & ~(ones &* 0x02)
        var marks = self | (self &+ ones &* 0x05)
        marks |= (self &- ones &* 0x21) & ~self
        marks |= (self ^ ones &* 0x22) &- ones
        marks |= (paired ^ ones &* 0x3C) &- ones
        marks |= (paired ^ ones &* 0x5C) &- ones
        marks |= (self ^ ones &* 0x60) &- ones
        return marks & (ones &* 0x80) == 0
    }
}

// A bit for each allowed byte (RFC 3986, section 2: unreserved, reserved and the percent sign), looked up once for each byte of
// each link of a page; written out, since a value worked out at the first use is asked for with a lock.
private let lowAddressBytes: UInt64 = 0xAFFFFFFA_00000000
private let highAddressBytes: UInt64 = 0x47FFFFFE_AFFFFFFF
