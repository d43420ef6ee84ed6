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
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            let escape = byte == UInt8(ascii: "&") ? escapes.first { rest.starts(with: $0.escape) } : nil
            out += escape?.text ?? [byte]
            rest = rest.dropFirst(escape?.escape.count ?? 1)
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static let escapes: [(escape: [UInt8], text: [UInt8])] = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"),
        ("&apos;", "'"), ("&nbsp;", "\u{A0}"),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }
}
