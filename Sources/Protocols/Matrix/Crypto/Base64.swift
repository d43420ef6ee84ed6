/// Base64 as Matrix has it ("Unpadded Base64"): written without padding; read with right padding too, since some write it.
/// Anything else is refused, bits left over that aren't zero included, so that no two texts are one key.
public enum Base64 {
    public enum Alphabet: Sendable {
        /// RFC 4648 section 4.
        case standard
        /// RFC 4648 section 5, in the `k` of an attachment's key.
        case urlSafe
    }

    public static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .standard) -> String {
        let digits = alphabet == .standard ? standardDigits : urlSafeDigits
        let count = (bytes.count * 8 + 5) / 6
        return String(unsafeUninitializedCapacity: count) { text in
            var written = 0
            var bits: UInt32 = 0
            var held: UInt32 = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                held += 8
                while held >= 6 {
                    held -= 6
                    text[written] = digits[Int(bits >> held & 63)]
                    written += 1
                }
            }
            if held > 0 {
                text[written] = digits[Int(bits << (6 - held) & 63)]
                written += 1
            }
            return written
        }
    }

    public static func decode(_ text: String, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var all = text.utf8[...]
        let padding = all.reversed().prefix(while: { $0 == UInt8(ascii: "=") }).count
        guard padding == 0 || (padding <= 2 && all.count % 4 == 0) else { return nil }
        all = all.dropLast(padding)
        guard all.count % 4 != 1 else { return nil }
        let values = alphabet == .standard ? standardValues : urlSafeValues
        var bytes: [UInt8] = []
        bytes.reserveCapacity(all.count * 3 / 4)
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for digit in all {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> held))
            }
        }
        return bits & (1 << held - 1) == 0 ? bytes : nil
    }

    private static let standardDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafeDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let standardValues = values(of: standardDigits)
    private static let urlSafeValues = values(of: urlSafeDigits)

    private static func values(of digits: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { table[Int(digit)] = UInt8(value) }
        return table
    }
}
