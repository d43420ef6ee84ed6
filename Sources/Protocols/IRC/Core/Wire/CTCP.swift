/// A client-to-client request inside a PRIVMSG (modern.ircdocs.horse, CTCP).
struct CTCP: Equatable {
    /// In capitals; empty for a broken request.
    let command: String
    let text: String

    /// nil if the text is no CTCP. The closing 0x01 may be missing.
    init?(parsing text: String) {
        guard text.utf8.first == 0x01 else { return nil }
        var body = text.utf8.dropFirst()
        if body.last == 0x01 { body = body.dropLast() }
        let space = body.firstIndex(of: 0x20) ?? body.endIndex
        command = String(Substring(body[..<space])).uppercasedASCII
        self.text = space == body.endIndex ? "" : String(Substring(body[body.index(after: space)...]))
    }

    static func reply(_ command: String, _ text: String) -> String {
        "\u{1}\(command)\(text.isEmpty ? "" : " ")\(text)\u{1}"
    }
}

extension String {
    /// Commands and CTCP words are ASCII; Unicode's rules would take ß for SS.
    var uppercasedASCII: String {
        guard utf8.contains(where: { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else { return self }
        return String(
            decoding: utf8.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 ? $0 - 32 : $0 }, as: UTF8.self)
    }

    var lowercasedASCII: String {
        String(decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
