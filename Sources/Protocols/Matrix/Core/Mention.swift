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
        let body = whole[...].front(Self.longestAddress).trimmingSpaceInFront()
        let pill = message.formattedBody.flatMap { Pill.name(atFrontOf: $0, userID: userID) }
        let isMeant = pill != nil || message.mentions.contains(userID)

        var address = Address(userID: userID, isMeant: isMeant)
        address.names = names + [pill].compactMap { $0 }
        if let rest = address.rest(of: body) {
            text = String(whole[rest.startIndex...].front(Self.longestText))
            isAddressed = true
        } else {
            text = String(whole[...].front(Self.longestText))
            // Whoever replies to the bot mentions it without meaning to ("Mentioning the replied to user"), and whoever names
            // it further back talks about it.
            isAddressed =
                message.mentions.contains(userID) && !message.isReply
                && whole.utf8.count + (message.formattedBody?.utf8.count ?? 0) <= Self.longestRequest
                && !address.isNamed(in: [whole, message.formattedBody ?? ""])
        }
    }

    /// Bytes in front in which an address is looked for: a link to an id of usual length and two names.
    static let longestAddress = 768
    /// Bytes that are handed on, and remembered with the answer: twenty times what a command is read of.
    static let longestText = 4096
    /// Bytes of text and HTML together. In a longer one no name is looked for: it is no request, but talk. An event may have
    /// sixty times as much, and the loop waits for its reading.
    static let longestRequest = 2048
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
            isMarked && !isIDOfAnother(rest) || isMeant
                || rest.unicodeScalars.first.map(isSeparator) ?? false && !isMarked
        else { return nil }
        return afterSeparators(rest)
    }

    /// Anywhere, by its id, by a link to it or by name.
    func isNamed(in texts: [String]) -> Bool {
        let forms = names + [String(userID.dropFirst()), percentEncoded(userID), MatrixID.localpart(of: userID) ?? ""]
        return texts.contains { text in
            let bytes = text.utf8.map(\.folded)
            return forms.contains { NamedBytes($0.utf8.map(\.folded)).isFound(in: bytes) }
        }
    }

    // By scalars: one character may have a thousand marks upon it, and is slow to compare.
    private func isEnd(_ rest: Substring) -> Bool {
        guard let next = rest.unicodeScalars.first else { return true }
        let properties = next.properties
        return isSeparator(next) || next.isSpaceOrMark
            || isMeant && !properties.isAlphabetic && properties.numericType == nil
    }

    /// `@gifbot:elsewhere.example` begins like our name.
    private func isIDOfAnother(_ rest: Substring) -> Bool {
        let scalars = rest.unicodeScalars
        return scalars.first == ":" && scalars.dropFirst().first.map { !$0.properties.isWhitespace } ?? false
    }

    /// U+FF1A and U+FF0C are what East Asian keyboards write.
    private func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == ":" || scalar == "," || scalar == "\u{FF1A}" || scalar == "\u{FF0C}"
    }

    private func afterSeparators(_ rest: Substring) -> Substring {
        Substring(rest.unicodeScalars.drop { isSeparator($0) || $0.isSpaceOrMark })
    }
}

/// A link to a user, which clients draw as a pill ("Matrix URIs", "matrix.to navigation").
private enum Pill {
    /// The text of a pill for this user that stands first in the HTML.
    static func name(atFrontOf html: String, userID: String) -> String? {
        var rest = ReplyFallback.strippedHTML(html[...]).front(Mention.longestAddress).trimmingSpaceInFront()
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
        let bytes = Array(text.utf8)
        var place = 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count, let high = bytes[place + 1].hexDigit,
                let low = bytes[place + 2].hexDigit
            {
                out.append(high << 4 | low)
                place += 3
            } else {
                out.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    /// White space, or a mark that only turns the direction of text (UAX #9): people who write from right to left have them around
    /// names.
    fileprivate var isSpaceOrMark: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: properties.isWhitespace
        }
    }
}

extension Substring {
    /// At most so many bytes, and no half character.
    func front(_ length: Int) -> Substring {
        guard var end = utf8.index(startIndex, offsetBy: length, limitedBy: endIndex), end < endIndex else {
            return self
        }
        while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return self[..<end]
    }

    func trimmingSpaceInFront() -> Substring {
        Substring(unicodeScalars.drop(while: \.isSpaceOrMark))
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
    fileprivate var hexDigit: UInt8? {
        switch folded {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): folded - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
