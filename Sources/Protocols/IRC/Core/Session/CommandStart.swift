/// Whether a text begins like a command of ours. The bot decides what is one; here it is only worth knowing before the server
/// is asked who somebody is. It may say yes too often, never too seldom.
struct CommandStart: Sendable {
    private let triggers: [[UInt8]]
    private let words: [[UInt8]]

    init(triggers: [String], words: [String]) {
        self.triggers = triggers.map(Self.lowered)
        self.words = words.map(Self.lowered)
    }

    /// `isAddressed`: our name stood in front, or nobody else reads it, so no trigger is needed.
    func begins(_ text: String, isAddressed: Bool) -> Bool {
        // White space has many forms beyond ASCII, and clients put marks in front.
        let bytes = Array(text.utf8.drop { $0 <= 0x20 || $0 >= 0x7F })
        if isAddressed, hasWord(bytes[...]) { return true }
        return triggers.contains { trigger in
            Self.lowered(bytes.prefix(trigger.count)).elementsEqual(trigger) && hasWord(bytes.dropFirst(trigger.count))
        }
    }

    private func hasWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        words.contains { word in
            // What is a small letter beyond ASCII is the bot's to know.
            let plain = word.prefix { $0 < 0x80 }
            guard Self.lowered(bytes.prefix(plain.count)).elementsEqual(plain) else { return false }
            guard plain.count == word.count else { return true }
            return bytes.dropFirst(plain.count).first.map { $0 <= 0x20 || $0 >= 0x7F } ?? true
        }
    }

    private static func lowered(_ text: String) -> [UInt8] { lowered(text.utf8) }

    private static func lowered(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { Casemapping.ascii.folded($0) }
    }
}
