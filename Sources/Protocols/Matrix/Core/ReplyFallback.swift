/// Older clients quote what they reply to in front of the text ("Fallbacks for rich replies", removed in v1.13).
public enum ReplyFallback {
    /// The body without the quoted lines in front. Only for events that have the reply relation: elsewhere such lines
    /// are what the person typed.
    public static func stripped(from body: String) -> String {
        let bytes = Array(body.utf8)
        var start = 0
        while start < bytes.count, bytes[start] == UInt8(ascii: ">") {
            let second = start + 1 < bytes.count ? bytes[start + 1] : nil
            guard second == UInt8(ascii: " ") || second == UInt8(ascii: "\n") || second == nil else { break }
            start = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
        }
        guard start > 0 else { return body }
        if start < bytes.count, bytes[start] == UInt8(ascii: "\n") { start += 1 }
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    /// HTML without the leading `mx-reply` element, whose only place is the front. A very long one stays: the loop waits.
    static func strippedHTML(_ html: Substring) -> Substring {
        guard html.utf8.starts(with: "<mx-reply>".utf8) else { return html }
        let bytes = Array(html.utf8.prefix(longestQuote))
        let mark = Array("</mx-reply>".utf8)
        let starts = 0..<max(0, bytes.count - mark.count + 1)
        guard let start = starts.first(where: { start in mark.indices.allSatisfy { bytes[start + $0] == mark[$0] } })
        else { return html }
        return html[html.utf8.index(html.startIndex, offsetBy: start + mark.count)...]
    }

    private static let longestQuote = 16 << 10
}
