/// What bytes mean that aren't UTF-8. UTF-8 is always tried first, and always sent.
public enum TextEncoding: String, Sendable, CaseIterable {
    case latin1 = "latin-1"
    case windows1252 = "windows-1252"

    /// Accepts the usual other names too.
    public init?(named name: String) {
        switch name.lowercased() {
        case "latin-1", "latin1", "iso-8859-1", "iso8859-1": self = .latin1
        case "windows-1252", "cp1252", "cp-1252": self = .windows1252
        default: return nil
        }
    }

    public func decode(_ bytes: UnsafeRawBufferPointer) -> String {
        // Nearly everything is ASCII, and for that the general way is ten times slower.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(scalar(byte)) }
        return String(text)
    }

    private func scalar(_ byte: UInt8) -> Unicode.Scalar {
        if self == .windows1252, 0x80...0x9F ~= byte, let scalar = Unicode.Scalar(Self.upper[Int(byte) - 0x80]) {
            return scalar
        }
        return Unicode.Scalar(byte)
    }

    /// 0x80 to 0x9F; the five places without a meaning keep their number, as browsers have it.
    private static let upper: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]
}
