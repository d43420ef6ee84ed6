import Base

/// Text from people and from sources, fit for one line of chat: no control characters, no formatting codes of IRC, nothing
/// that changes the direction of writing or hides, single spaces, nothing at the ends.
func cleanLine(_ text: String, maximumScalars: Int) -> String {
    var copy = text
    let cleaned = copy.withUTF8 { cleanedLine($0, maximumScalars: maximumScalars) }
    return cleaned.map { String(decoding: $0, as: UTF8.self) } ?? text
}

/// The same for UTF-8 known to be well formed; nil when it is clean already.
func cleanedLine(_ text: UnsafeBufferPointer<UInt8>, maximumScalars: Int) -> [UInt8]? {
    if text.count <= maximumScalars, isCleanASCII(text) { return nil }
    // It never grows.
    return [UInt8](unsafeUninitializedCapacity: text.count) { out, count in
        var cleaner = LineCleaner(text, into: out, maximumScalars: maximumScalars)
        cleaner.clean()
        count = cleaner.filled
    }
}

/// Most titles and queries are this already.
private func isCleanASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var previous = UInt8(ascii: " ")
    for byte in text {
        guard byte >= 0x20, byte < 0x7F, byte != 0x20 || previous != 0x20 else { return false }
        previous = byte
    }
    return previous != 0x20 || text.isEmpty
}

/// Works on UTF-8 known to be well formed: a page has dozens of titles, and Swift's view of scalars is slow to append to.
private struct LineCleaner {
    private enum Kind {
        case text, space, nothing
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumScalars: Int
    private let out: UnsafeMutableBufferPointer<UInt8>
    private(set) var filled = 0
    private var index = 0
    /// Scalars.
    private var count = 0
    private var owesSpace = false

    init(
        _ text: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>, maximumScalars: Int
    ) {
        bytes = text
        self.out = out
        self.maximumScalars = maximumScalars
    }

    mutating func clean() {
        while index < bytes.count {
            let first = index
            switch bytes[index] {
            case 0x21...0x7E:
                repeat { index += 1 } while index < bytes.count && 0x21...0x7E ~= bytes[index]
                appendASCII(first..<index)
                continue
            case 0x80...:
                switch multibyteKind() {
                case .text: break
                case .space:
                    owesSpace = count > 0
                    continue
                case .nothing: continue
                }
            case 0x02, 0x0F, 0x11, 0x16, 0x1D, 0x1E, 0x1F:
                index += 1
                continue
            case 0x03, 0x04:
                skipColour()
                continue
            default:
                owesSpace = count > 0
                index += 1
                continue
            }
            append(first..<index, scalars: 1)
        }
    }

    /// One scalar a byte, as many as there is room for.
    private mutating func appendASCII(_ run: Range<Int>) {
        let fitting = run.prefix(max(0, maximumScalars - count - (owesSpace ? 1 : 0)))
        if !fitting.isEmpty { append(fitting, scalars: fitting.count) }
        if fitting.count < run.count { index = bytes.count }
    }

    /// When there is no room for it, that was the end.
    private mutating func append(_ piece: Range<Int>, scalars: Int) {
        let needed = owesSpace ? scalars + 1 : scalars
        guard count + needed <= maximumScalars else {
            index = bytes.count
            return
        }
        if owesSpace {
            out[filled] = UInt8(ascii: " ")
            filled += 1
        }
        owesSpace = false
        filled = out[filled...].initialize(fromContentsOf: bytes[piece])
        count += needed
    }

    /// Moves behind the scalar.
    private mutating func multibyteKind() -> Kind {
        let first = bytes[index]
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for offset in 1..<length { value = value << 6 | UInt32(bytes[index + offset] & 0x3F) }
        index += length
        switch value {
        // C1, and Unicode's white space.
        case 0x80...0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: return .space
        default: return isHiddenScalar(value) ? .nothing : .text
        }
    }

    /// 03 and up to two digits, or 04 and six hexadecimal ones; after a comma the background, and a comma without one is text
    /// (modern.ircdocs.horse/formatting).
    private mutating func skipColour() {
        let isHex = bytes[index] == 0x04
        index += 1
        guard let end = colourEnd(from: index, isHex: isHex) else { return }
        index = end
        if index < bytes.count, bytes[index] == UInt8(ascii: ","), let end = colourEnd(from: index + 1, isHex: isHex) {
            index = end
        }
    }

    private func colourEnd(from start: Int, isHex: Bool) -> Int? {
        let digits = bytes[min(start, bytes.count)...].prefix(isHex ? 6 : 2).prefix {
            $0.isDigit || isHex && $0.isHexLetter
        }.count
        return digits == 0 || isHex && digits < 6 ? nil : start + digits
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isHexLetter: Bool { (0x61...0x66).contains(self | 0x20) }
}
