/// How a server is checked, and how we show ourselves to it.
public struct TLSSettings: Hashable, Sendable {
    /// Off: anybody may be at the other end.
    public var verifies: Bool
    /// PEM file of the authorities to trust instead of the system's.
    public var caFile: String?
    /// SHA-256 of a server certificate. If any is given it stands in for every other check.
    public var pins: [Fingerprint]
    /// PEM file; without a key file the key is looked for in the same file.
    public var clientCertificate: String?
    public var clientKey: String?

    public init(
        verifies: Bool = true, caFile: String? = nil, pins: [Fingerprint] = [], clientCertificate: String? = nil,
        clientKey: String? = nil
    ) {
        self.verifies = verifies
        self.caFile = caFile
        self.pins = pins
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
    }

    /// Whether the chain, the dates and the name are checked.
    var checksChain: Bool { verifies && pins.isEmpty }
}

/// SHA-256 of a certificate in DER.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    public let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits, with or without colons and a `SHA256:` in front; nil for anything else.
    public init?(_ text: String) {
        var digits = Array(text.utf8)
        let prefix = Array("sha256:".utf8)
        if digits.prefix(prefix.count).map({ $0 | 0x20 }) == prefix.map({ $0 | 0x20 }) {
            digits.removeFirst(prefix.count)
        }
        let values = digits.filter { $0 != UInt8(ascii: ":") }.map(Self.value)
        guard values.count == 64, !values.contains(nil) else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { values[$0]! << 4 | values[$0 + 1]! }
    }

    /// Upper-case pairs with colons, as `openssl x509 -fingerprint` shows it.
    public var description: String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var text = ""
        for byte in bytes {
            if !text.isEmpty { text += ":" }
            text.unicodeScalars.append(digits[Int(byte >> 4)])
            text.unicodeScalars.append(digits[Int(byte & 15)])
        }
        return text
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
