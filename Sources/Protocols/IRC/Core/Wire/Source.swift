/// Who a line comes from: `nick!user@host`, or a server's name alone.
public struct Source: Equatable, Sendable {
    public let nick: String
    public let user: String?
    public let host: String?

    public init(nick: String, user: String? = nil, host: String? = nil) {
        self.nick = nick
        self.user = user
        self.host = host
    }

    public init(parsing text: String) {
        let bytes = text.utf8
        let bang = bytes.firstIndex(of: UInt8(ascii: "!"))
        let at = bytes[(bang ?? bytes.startIndex)...].firstIndex(of: UInt8(ascii: "@"))
        nick = String(text[..<(bang ?? at ?? text.endIndex)])
        user = bang.map { String(text[text.index(after: $0)..<(at ?? text.endIndex)]) }
        host = at.map { String(text[text.index(after: $0)...]) }
    }

    /// A person has a host in every line that others see; a server has only its name.
    var isPerson: Bool { host != nil }

    var mask: String { "\(nick)!\(user ?? "*")@\(host ?? "*")" }
}
