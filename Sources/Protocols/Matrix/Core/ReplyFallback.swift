/// Older clients quote what they reply to in front of the text ("Fallbacks for rich replies", removed in v1.13).
public enum ReplyFallback {
    /// The body without the quoted lines in front. Only for events that have the reply relation: elsewhere such lines
    /// are what the person typed (BUG-03).
    public static func stripped(from body: String) -> String {
        var rest = body.utf8[...]
        var foundQuote = false
        while rest.first == UInt8(ascii: ">") {
            let second = rest.dropFirst().first
            guard second == UInt8(ascii: " ") || second == UInt8(ascii: "\n") || second == nil else { break }
            foundQuote = true
            rest = rest[afterLine(rest)...]
        }
        guard foundQuote else { return body }
        if rest.first == UInt8(ascii: "\n") { rest = rest.dropFirst() }
        return String(Substring(rest))
    }

    /// HTML without the leading `mx-reply` element, whose only place is the front.
    static func strippedHTML(_ html: Substring) -> Substring {
        guard html.hasPrefix("<mx-reply>"), let end = html.firstRange(of: "</mx-reply>") else { return html }
        return html[end.upperBound...]
    }

    private static func afterLine(_ text: Substring.UTF8View) -> String.Index {
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return text.endIndex }
        return text.index(after: end)
    }
}
