/// The key of secret storage as people keep it ("Recovery key"): base58 of 0x8B 0x01, the 32 bytes and their parity, in groups of
/// four.
public struct RecoveryKey: Equatable, Sendable {
    let bytes: [UInt8]

    private static let prefix: [UInt8] = [0x8B, 0x01]
    private static let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    /// As written, with blanks.
    private static let longestText = 200

    /// Nil unless there are 32.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == SecretCipher.keyLength else { return nil }
        self.bytes = bytes
    }

    /// Nil for a text with a typing error in it.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        var number: [UInt8] = []
        for character in text.utf8 where !Self.isBlank(character) {
            guard let digit = Self.digits.firstIndex(of: character) else { return nil }
            var carry = digit
            for place in number.indices.reversed() {
                carry += Int(number[place]) * 58
                number[place] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            if carry > 0 { number.insert(UInt8(carry), at: 0) }
        }
        guard number.count == Self.prefix.count + SecretCipher.keyLength + 1, number.starts(with: Self.prefix),
            number.reduce(0, ^) == 0
        else { return nil }
        bytes = Array(number[Self.prefix.count..<(number.count - 1)])
    }

    public var text: String {
        let body = Self.prefix + bytes
        var digits: [Int] = []
        for byte in body + [body.reduce(0, ^)] {
            var carry = Int(byte)
            for place in digits.indices.reversed() {
                carry += digits[place] << 8
                digits[place] = carry % 58
                carry /= 58
            }
            while carry > 0 {
                digits.insert(carry % 58, at: 0)
                carry /= 58
            }
        }
        let letters = digits.map { Self.digits[$0] }
        let groups = stride(from: 0, to: letters.count, by: 4).map { start in
            String(decoding: letters[start..<min(start + 4, letters.count)], as: UTF8.self)
        }
        return groups.joined(separator: " ")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}

/// Nothing of it in a log by accident.
extension RecoveryKey: CustomStringConvertible {
    public var description: String { "a recovery key" }
}
