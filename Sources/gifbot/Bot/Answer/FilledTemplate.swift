extension ReplyTemplate {
    func filled(with fields: AnswerFields) -> String {
        var line = FilledLine()
        for part in parts { line.append(part, fields) }
        return line.text
    }

    func uses(of field: Field) -> Int {
        parts.reduce(0) { count, part in
            switch part {
            case .text: count
            case .field(let other): count + (other == field ? 1 : 0)
            case .optional(let inner): count + inner.count { $0 == .field(field) }
            }
        }
    }
}

/// A line in the making. Where something vanished, the comma, dot or dash that would have joined it goes too.
private struct FilledLine {
    var text = ""
    private var hasVanished = false

    mutating func append(_ part: ReplyTemplate.Part, _ fields: AnswerFields) {
        switch part {
        case .text(let own): append(own)
        case .field(let field): append(value: fields[field])
        case .optional(let parts):
            if parts.contains(where: { $0.isEmpty(fields) }) {
                hasVanished = true
            } else {
                for part in parts { append(part, fields) }
            }
        }
    }

    private mutating func append(_ own: String) {
        guard hasVanished, text.isEmpty || text.utf8.last == 0x20 else {
            text += own
            return
        }
        let rest = own.drop { Self.joining.contains($0) }
        text += rest
        if !rest.isEmpty { hasVanished = false }
    }

    private mutating func append(value: String) {
        text += value
        hasVanished = value.isEmpty
    }

    private static let joining: Set<Character> = [" ", ",", "\u{B7}", "\u{2014}", "\u{2013}", "-", "|", ":"]
}

extension ReplyTemplate.Part {
    fileprivate func isEmpty(_ fields: AnswerFields) -> Bool {
        if case .field(let field) = self { fields[field].isEmpty } else { false }
    }
}
