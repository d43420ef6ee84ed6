/// What names may look like, so that a slip in the config is told at start and not by a server's refusal.
enum IRCNames {
    /// RFC 2812 section 2.3.1; a dash or digit can't come first.
    static func isNick(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 50, !isDigit(first), first != UInt8(ascii: "-") else {
            return false
        }
        // Servers that take more than ASCII want UTF-8.
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 >= 0x80 || "-[]\\`_^{|}".utf8.contains($0) }
    }

    static func isChannel(_ text: String) -> Bool {
        guard let first = text.utf8.first, "#&+!".utf8.contains(first), 2...200 ~= text.utf8.count else { return false }
        return text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") }
    }

    /// Some servers end the connection for anything but letters and digits.
    static func isUsername(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 20
            && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-_.".utf8.contains($0) }
    }

    /// The letters and digits of a nick.
    static func username(from nick: String) -> String {
        let plain = nick.utf8.filter { isLetter($0) || isDigit($0) }.prefix(10)
        return plain.isEmpty ? "gifbot" : String(decoding: Array(plain), as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
