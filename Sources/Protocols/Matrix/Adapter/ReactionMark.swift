import Chat

/// The marks that mean something on an answer.
enum ReactionMark {
    /// In the order in which the bot offers them.
    static let offered = ["\u{1F501}", "\u{2B05}\u{FE0F}", "\u{274C}"]

    /// With or without the sign that asks for colour (U+FE0F): clients differ.
    static func meaning(of key: String) -> ChatChange.Reaction? {
        let scalars = key.unicodeScalars.filter { $0.value != 0xFE0F }
        guard scalars.count == 1, let mark = scalars.first else { return nil }
        switch mark.value {
        case 0x1F501: return .next
        case 0x2B05: return .previous
        case 0x274C: return .undo
        default: return nil
        }
    }
}
