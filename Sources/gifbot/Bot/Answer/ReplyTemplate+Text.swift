extension ReplyTemplate {
    /// As it is written in the config.
    public var text: String {
        Self.text(of: parts)
    }

    private static func text(of parts: [Part]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .field(let field): "{\(field.rawValue)}"
            case .optional(let inner): "[\(self.text(of: inner))]"
            }
        }.joined()
    }
}
