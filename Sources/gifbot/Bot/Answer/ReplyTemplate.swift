/// The text of an answer with names to fill in, read once when the settings are.
///
/// `{title}` and its like are names; a part in `[ ]` vanishes when a name in it is empty; `{url}` is the end.
public struct ReplyTemplate: Equatable, Sendable {
    enum Field: String, CaseIterable, Sendable {
        case title, width, height, size, rating, provider, credit, by, url
    }

    enum Part: Equatable, Sendable {
        case text(String)
        case field(Field)
        case optional([Part])
    }

    /// Always ends with `.field(.url)`, the only one of its kind.
    let parts: [Part]

    public static let standardText =
        "[{title} \u{2014} ][{width}\u{D7}{height}][, {size}] \u{B7} {credit} \u{2014} {url}"

    static let standard: ReplyTemplate = {
        do throws(TemplateError) {
            return try ReplyTemplate(standardText)
        } catch {
            preconditionFailure(error.text)
        }
    }()

    public init(_ text: String) throws(TemplateError) {
        var reader = TemplateReader(text)
        parts = try reader.all()
    }
}

/// What is wrong with a template, in words for the config's fault.
public enum TemplateError: Error, Equatable, Sendable {
    case unknownName
    case unclosedName
    case unbalancedBrackets
    case nestedBrackets
    case urlNotLast
    case controlCharacter

    public var text: String {
        switch self {
        case .unknownName:
            "expected only the names "
                + ReplyTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        case .unclosedName: "a { without its }, or a } without its {"
        case .unbalancedBrackets: "a [ without its ], or a ] without its ["
        case .nestedBrackets: "a [ ] inside another; one level is all there is"
        case .urlNotLast: "expected {url} once, at the very end and outside of [ ]"
        case .controlCharacter: "expected one line without control characters"
        }
    }
}

/// Reads a template's text from left to right.
private struct TemplateReader {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) {
        rest = text[...].unicodeScalars
    }

    mutating func all() throws(TemplateError) -> [ReplyTemplate.Part] {
        let parts = try sequence(isInside: false)
        let urls = parts.count { $0 == .field(.url) }
        let hidden = parts.contains { part in
            if case .optional(let inner) = part { inner.contains(.field(.url)) } else { false }
        }
        guard urls == 1, !hidden, parts.last == .field(.url) else { throw .urlNotLast }
        return parts
    }

    private mutating func sequence(isInside: Bool) throws(TemplateError) -> [ReplyTemplate.Part] {
        var parts: [ReplyTemplate.Part] = []
        var text = String.UnicodeScalarView()
        func flush() {
            if !text.isEmpty { parts.append(.text(String(text))) }
            text = String.UnicodeScalarView()
        }
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{":
                flush()
                parts.append(.field(try field()))
            case "[":
                if isInside { throw .nestedBrackets }
                flush()
                parts.append(.optional(try sequence(isInside: true)))
            case "]":
                guard isInside else { throw .unbalancedBrackets }
                flush()
                return parts
            case "}": throw .unclosedName
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F { throw .controlCharacter }
                text.append(scalar)
            }
        }
        if isInside { throw .unbalancedBrackets }
        flush()
        return parts
    }

    private mutating func field() throws(TemplateError) -> ReplyTemplate.Field {
        guard let end = rest.firstIndex(of: "}") else { throw .unclosedName }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard let field = ReplyTemplate.Field(rawValue: name) else { throw .unknownName }
        return field
    }
}
