/// Tells a command from chat, by one channel's prefixes and words. Nothing is allocated before that is settled.
struct CommandParser: Sendable {
    /// Bytes; every source takes less, and a longer text is no query.
    static let longestQuery = 200

    private let prefixes: [[UInt8]]
    private let words: [Word]

    private struct Word: Sendable {
        let bytes: [UInt8]
        let isASCII: Bool
    }

    init(prefixes: [String], words: [String]) {
        self.prefixes = prefixes.map { prefix in prefix.utf8.map(\.asciiLowercased) }
        self.words = words.map { word in
            let bytes = Array(word.lowercased().utf8)
            return Word(bytes: bytes, isASCII: bytes.allSatisfy { $0 < 0x80 })
        }
    }

    /// `isAddressed`: the bot is named in front, or nobody else is there, so no prefix is needed.
    func parse(_ text: String, isAddressed: Bool) -> Command? {
        let bytes = text.utf8.span
        let start = Spacing.skip(in: bytes, from: 0)
        guard start < bytes.count, let end = endOfCommandWord(in: bytes, from: start, isAddressed: isAddressed) else {
            return nil
        }
        return CommandReader.command(in: bytes, from: end)
    }

    private func endOfCommandWord(in bytes: Span<UInt8>, from start: Int, isAddressed: Bool) -> Int? {
        for prefix in prefixes where bytes.holds(prefix, at: start) {
            if let end = endOfWord(in: bytes, from: start + prefix.count) { return end }
        }
        return isAddressed ? endOfWord(in: bytes, from: start) : nil
    }

    private func endOfWord(in bytes: Span<UInt8>, from start: Int) -> Int? {
        for word in words {
            let end = word.isASCII ? start + word.bytes.count : Spacing.endOfWord(in: bytes, from: start)
            guard end <= bytes.count, end > start,
                end == bytes.count || Spacing.length(in: bytes, at: end) > 0
            else { continue }
            if word.isASCII {
                if bytes.holds(word.bytes, at: start) { return end }
            } else if bytes.text(start..<end).lowercased().utf8.elementsEqual(word.bytes) {
                return end
            }
        }
        return nil
    }
}

extension Span<UInt8> {
    /// Compares without regard to the case of ASCII letters; `lower` is lower case.
    func holds(_ lower: [UInt8], at start: Int) -> Bool {
        guard start + lower.count <= count else { return false }
        for offset in 0..<lower.count where self[start + offset].asciiLowercased != lower[offset] { return false }
        return true
    }

    func text(_ range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
