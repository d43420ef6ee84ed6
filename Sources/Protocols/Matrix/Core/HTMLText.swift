/// The little HTML that a message needs.
enum HTMLText {
    static func escaped(_ text: String) -> String {
        var out = ""
        out.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// Undoes the escapes that clients write around names and in links; others stay as they are.
    static func unescaped(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var out = ""
        var rest = text
        while let mark = rest.firstIndex(of: "&") {
            out += rest[..<mark]
            rest = rest[mark...]
            let escape = escapes.first { rest.hasPrefix($0.escape) }
            out += escape?.text ?? "&"
            rest = rest.dropFirst(escape?.escape.count ?? 1)
        }
        return out + rest
    }

    private static let escapes: [(escape: String, text: String)] = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"),
        ("&apos;", "'"), ("&nbsp;", "\u{A0}"),
    ]
}
