/// Makes a query of what a person typed: lower case, single spaces, no control or direction marks.
enum QueryWords {
    static func text(in bytes: Span<UInt8>, from start: Int) -> String {
        let (text, isASCII) = text(in: bytes, from: start, isLowered: true)
        return isASCII ? text : text.lowercased()
    }

    /// The same with letters as they were typed.
    static func typed(in bytes: Span<UInt8>, from start: Int) -> String {
        text(in: bytes, from: start, isLowered: false).text
    }

    private static func text(
        in bytes: Span<UInt8>, from start: Int, isLowered: Bool
    ) -> (text: String, isASCII: Bool) {
        var isASCII = true
        let text = String(unsafeUninitializedCapacity: CommandParser.longestQuery) { buffer in
            var count = 0
            var index = start
            var isSpaceDue = false
            while index < bytes.count {
                let space = Spacing.length(in: bytes, at: index)
                if space > 0 {
                    isSpaceDue = count > 0
                    index += space
                    continue
                }
                let mark = Spacing.directionMarkLength(in: bytes, at: index)
                if mark > 0 {
                    index += mark
                    continue
                }
                let length = scalarLength(bytes[index])
                guard count + length + (isSpaceDue ? 1 : 0) <= buffer.count else { break }
                if isSpaceDue {
                    buffer[count] = 0x20
                    count += 1
                    isSpaceDue = false
                }
                for offset in 0..<length {
                    let byte = bytes[index + offset]
                    buffer[count + offset] = isLowered ? byte.asciiLowercased : byte
                }
                if length > 1 { isASCII = false }
                count += length
                index += length
            }
            return count
        }
        return (text, isASCII)
    }

    /// Bytes of the UTF-8 sequence that starts with `lead`; the text is valid, so none is cut.
    private static func scalarLength(_ lead: UInt8) -> Int {
        switch lead {
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        default: 1
        }
    }
}
