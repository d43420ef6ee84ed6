import HTTP

/// Finds an address of the bot at the front of a message, in all the ways in which clients write one.
public struct Mention: Equatable, Sendable {
    /// The text without the address, if there was one.
    public let text: String
    public let isAddressed: Bool
}

extension Mention {
    /// `names` are what the account is called: display names, longest first or not.
    public init(in message: RoomMessage, userID: String, names: [String]) {
        let whole = message.isReply ? ReplyFallback.stripped(from: message.body) : message.body
        let body = Substring(whole).trimmingSpaceInFront()
        let pill = message.formattedBody.flatMap { Pill.name(atFrontOf: $0, userID: userID) }
        let isMeant = pill != nil || message.mentions.contains(userID)

        var address = Address(userID: userID, isMeant: isMeant)
        address.names = names + [pill].compactMap { $0 }
        if let rest = address.rest(of: body) {
            text = String(rest)
            isAddressed = true
        } else {
            text = whole
            // Whoever replies to the bot mentions it without meaning to ("Mentioning the replied to user"), and whoever names
            // it further back talks about it.
            isAddressed =
                message.mentions.contains(userID) && !message.isReply
                && !address.isNamed(in: whole + (message.formattedBody ?? ""))
        }
    }
}

private struct Address {
    let userID: String
    /// The client says that the bot is meant, so any end of the name will do.
    let isMeant: Bool
    var names: [String] = []

    init(userID: String, isMeant: Bool) {
        self.userID = userID
        self.isMeant = isMeant
    }

    /// What follows the address; nil when there is none.
    func rest(of body: Substring) -> Substring? {
        if let rest = Pill.restAfterMarkdown(in: body, userID: userID) { return afterSeparators(rest) }
        if let rest = body.dropping(userID), isEnd(rest) { return afterSeparators(rest) }
        let isMarked = body.utf8.first == UInt8(ascii: "@")
        let name = isMarked ? body.dropFirst() : body
        // The longest name first: `gifbot two` before `gifbot`.
        for candidate in names.filter({ !$0.isEmpty }).sorted(by: { $0.utf8.count > $1.utf8.count }) {
            if let rest = name.dropping(candidate), isEnd(rest), !isMarked || !isIDOfAnother(rest) {
                return afterSeparators(rest)
            }
        }
        // The local part is a name too, but a plain word more often: a sign has to say that somebody is called.
        guard let local = MatrixID.localpart(of: userID), let rest = name.dropping(local), isEnd(rest),
            isMarked && !isIDOfAnother(rest) || isMeant || rest.first.map(isSeparator) ?? false && !isMarked
        else { return nil }
        return afterSeparators(rest)
    }

    /// Anywhere, by its id, by a link to it or by name.
    func isNamed(in text: String) -> Bool {
        let text = text.lowercased()
        let forms = names + [userID, percentEncoded(userID)] + [MatrixID.localpart(of: userID)].compactMap { $0 }
        return forms.contains { !$0.isEmpty && text.contains($0.lowercased()) }
    }

    private func isEnd(_ rest: Substring) -> Bool {
        guard let next = rest.first else { return true }
        return isSeparator(next) || next.isWhitespace || isMeant && !next.isLetter && !next.isNumber
    }

    /// `@gifbot:elsewhere.example` begins like our name.
    private func isIDOfAnother(_ rest: Substring) -> Bool {
        rest.first == ":" && rest.dropFirst().first.map { !$0.isWhitespace } ?? false
    }

    /// U+FF1A and U+FF0C are what East Asian keyboards write.
    private func isSeparator(_ character: Character) -> Bool {
        character == ":" || character == "," || character == "\u{FF1A}" || character == "\u{FF0C}"
    }

    private func afterSeparators(_ rest: Substring) -> Substring {
        rest.drop { isSeparator($0) || $0.isWhitespace }
    }
}

/// A link to a user, which clients draw as a pill ("Matrix URIs", "matrix.to navigation").
private enum Pill {
    /// The text of a pill for this user that stands first in the HTML.
    static func name(atFrontOf html: String, userID: String) -> String? {
        var rest = ReplyFallback.strippedHTML(html[...]).trimmingSpaceInFront()
        for tag in ["<p>", "<span>"] where rest.hasPrefix(tag) { rest = rest.dropFirst(tag.count) }
        guard rest.hasPrefix("<a "), let close = rest.firstIndex(of: ">"),
            let link = attribute("href", in: rest[..<close]), isLink(link, to: userID),
            let end = rest.firstRange(of: "</a>"), end.lowerBound > close
        else { return nil }
        let text = rest[rest.index(after: close)..<end.lowerBound]
        let name = HTMLText.unescaped(text)
        return name.hasPrefix("@") && name != userID ? String(name.dropFirst()) : name
    }

    /// `[gifbot](https://matrix.to/#/@gifbot:example.org) …` is what some clients put into the body.
    static func restAfterMarkdown(in body: Substring, userID: String) -> Substring? {
        guard body.hasPrefix("["), let middle = body.firstRange(of: "]("),
            let end = body[middle.upperBound...].firstIndex(of: ")"),
            isLink(String(body[middle.upperBound..<end]), to: userID)
        else { return nil }
        return body[body.index(after: end)...]
    }

    private static func attribute(_ name: String, in tag: Substring) -> String? {
        for quote in ["\"", "'"] {
            guard let start = tag.firstRange(of: name + "=" + quote) else { continue }
            let value = tag[start.upperBound...]
            guard let end = value.firstIndex(of: Character(quote)) else { continue }
            return HTMLText.unescaped(value[..<end])
        }
        return nil
    }

    private static func isLink(_ link: String, to userID: String) -> Bool {
        let plain = percentDecoded(link)
        let forms = ["https://matrix.to/#/" + userID, "matrix:u/" + userID.dropFirst()]
        return forms.contains { form in
            guard let rest = plain[...].dropping(form) else { return false }
            return rest.isEmpty || rest.hasPrefix("?")
        }
    }

    private static func percentDecoded(_ text: String) -> String {
        var out: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%"),
                let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16),
                bytes.count >= 2
            {
                out.append(value)
                bytes = bytes.dropFirst(2)
            } else {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension Substring {
    func trimmingSpaceInFront() -> Substring {
        drop { $0.isWhitespace }
    }

    /// What follows the word, which is compared without regard to the case of ASCII letters; nil if it isn't there.
    fileprivate func dropping(_ word: String) -> Substring? {
        var place = utf8.startIndex
        for byte in word.utf8 {
            guard place < utf8.endIndex, utf8[place].folded == byte.folded else { return nil }
            place = utf8.index(after: place)
        }
        return Substring(utf8[place...])
    }
}

extension UInt8 {
    fileprivate var folded: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
