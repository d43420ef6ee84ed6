/// A name in folded bytes, looked for where it is a word of its own: `@gifbot2:…`, `@my-gifbot:…` and `@gifbot:elsewhere.example`
/// are others than `@gifbot:…`. What isn't ASCII ends a word: many scripts write none between words.
struct NamedBytes {
    private let name: [UInt8]

    init(_ name: [UInt8]) {
        self.name = name
    }

    func isFound(in text: [UInt8]) -> Bool {
        guard let first = name.first, name.count <= text.count else { return false }
        return (0...(text.count - name.count)).contains { start in
            text[start] == first && text[start..<(start + name.count)].elementsEqual(name)
                && isStart(start, of: text) && isEnd(start + name.count, of: text, isID: isMarked(start, in: text))
        }
    }

    /// An id or a link to one.
    private func isMarked(_ start: Int, in text: [UInt8]) -> Bool {
        start > 0 && (text[start - 1] == UInt8(ascii: "@") || text[start - 1] == UInt8(ascii: "/"))
    }

    private func isStart(_ start: Int, of text: [UInt8]) -> Bool {
        guard start > 0, name[0].isOfWord else { return true }
        if text[start - 1].isOfWord { return false }
        return start < 2 || !text[start - 1].isJoint || !text[start - 2].isOfWord
    }

    private func isEnd(_ end: Int, of text: [UInt8], isID: Bool) -> Bool {
        guard end < text.count else { return true }
        if text[end].isOfWord { return false }
        let goesOn = text[end].isJoint || text[end] == UInt8(ascii: ":") || text[end] == UInt8(ascii: "%")
        return !isID || !goesOn || end + 1 == text.count || !text[end + 1].isOfWord
    }
}

extension UInt8 {
    var folded: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    fileprivate var isOfWord: Bool {
        switch folded {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Within an id, where it ends no part.
    fileprivate var isJoint: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: ".") }
}
