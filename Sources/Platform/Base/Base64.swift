/// Base64 as SASL uses it: the standard alphabet with padding (RFC 4648 section 4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                out.append(alphabet[Int(bits >> UInt32(held)) & 63])
            }
        }
        if held > 0 { out.append(alphabet[Int(bits << UInt32(6 - held)) & 63]) }
        while out.count % 4 != 0 { out.append(padding) }
        return String(decoding: out, as: UTF8.self)
    }

    /// Nil for anything but whole groups of four with their padding; left-over bits must be zero, so that each value
    /// has one spelling.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(Array(text.utf8))
    }

    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padded = text.suffix(2).reversed().prefix { $0 == padding }.count
        var out: [UInt8] = []
        out.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var held = 0
        for character in text.dropLast(padded) {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            out.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        }
        guard bits & (1 << UInt32(held) - 1) == 0 else { return nil }
        return out
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
