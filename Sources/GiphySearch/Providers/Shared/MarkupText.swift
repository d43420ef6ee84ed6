/// The text of a piece of HTML: tags left out, entities resolved. Nothing is shown as HTML afterwards, so what isn't understood may
/// stay as it is.
enum MarkupText {
    private static let entities: [(name: String, text: String)] = [
        ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#039;", "'"),
        ("&ndash;", "\u{2013}"), ("&amp;", "&"),
    ]

    static func plain(_ html: String) -> String {
        var out = ""
        var rest = Substring(html)
        while let start = rest.firstIndex(of: "<") {
            out += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ">") else { return resolved(out) }
            // A tag parts words, as a line break does.
            out += " "
            rest = rest[rest.index(after: end)...]
        }
        return resolved(out + rest)
    }

    /// One pass, so that `&amp;lt;` becomes `&lt;` and not a tag.
    private static func resolved(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var out = ""
        var rest = Substring(text)
        while let start = rest.firstIndex(of: "&") {
            out += rest[..<start]
            rest = rest[start...]
            if let entity = entities.first(where: { rest.hasPrefix($0.name) }) {
                out += entity.text
                rest = rest.dropFirst(entity.name.count)
            } else {
                out += "&"
                rest = rest.dropFirst()
            }
        }
        return out + rest
    }
}
