/// A number as written, known to follow the grammar.
struct JSONNumber {
    let raw: UnsafeBufferPointer<UInt8>
    /// Neither fraction nor exponent.
    let isWhole: Bool

    /// Exact, or nil. A fraction or exponent may still give a whole number (`480.0`); past 2^53 a Double can't be trusted
    /// with it.
    var integer: Int64? {
        if isWhole { return Int64(decimal: raw) }
        guard let value = double, let whole = Int64(exactly: value), whole.magnitude <= 1 << 53 else { return nil }
        return whole
    }

    /// Nil when it is too large for a Double.
    var double: Double? {
        if isWhole, let whole = Int64(decimal: raw) { return Double(whole) }
        guard let value = Double(String(decoding: raw, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }
}

extension JSONReader {
    // Called for each value of a large body: inlined, since the call costs as much as the work.

    /// Space, tab, LF and CR; nothing else is white space in JSON.
    @inline(__always)
    mutating func skipSpace() {
        while position < count {
            switch start[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The next byte that isn't white space, not yet consumed.
    @inline(__always)
    mutating func nextByte() throws(JSONError) -> UInt8 {
        // Bodies of services have no space in them.
        if position < count, start[position] > 0x20 { return start[position] }
        skipSpace()
        guard position < count else { throw JSONError(.endsTooSoon, at: position) }
        return start[position]
    }

    mutating func scanLiteral(_ word: StaticString) throws(JSONError) {
        for byte in word.bytes {
            guard position < count else { throw JSONError(.endsTooSoon, at: position) }
            guard start[position] == byte else { throw JSONError(.badLiteral, at: position) }
            position += 1
        }
    }

    /// From the opening quote to behind the closing one. Nearly all are plain: told by one look at each word, and inlined, since
    /// a body has thousands and most are shorter than two words.
    @inline(__always)
    mutating func scanString() throws(JSONError) -> JSONText {
        let first = position &+ 1
        position = endOfPlainBytes(from: first)
        guard position < count, start[position] == UInt8(ascii: "\"") else { return try scanRest(ofString: first) }
        let raw = UnsafeBufferPointer(start: start + first, count: position &- first)
        position &+= 1
        return JSONText(raw: raw, hasEscapes: false)
    }

    /// The same, for what nobody wants to see.
    @inline(__always)
    mutating func skipString() throws(JSONError) {
        let first = position &+ 1
        position = endOfPlainBytes(from: first)
        guard position < count, start[position] == UInt8(ascii: "\"") else {
            _ = try scanRest(ofString: first)
            return
        }
        position &+= 1
    }

    /// From the first byte that isn't plain.
    @inline(never)
    private mutating func scanRest(ofString first: Int) throws(JSONError) -> JSONText {
        var hasEscapes = false
        while position < count {
            switch start[position] {
            case UInt8(ascii: "\""):
                let raw = UnsafeBufferPointer(start: start + first, count: position - first)
                position += 1
                return JSONText(raw: raw, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try scanEscape()
            case 0..<0x20:
                throw JSONError(.controlInString, at: position)
            case 0x80...:
                try scanMultibyte()
            default:
                position += 1
            }
            position = endOfPlainBytes(from: position)
        }
        throw JSONError(.endsTooSoon, at: position)
    }

    /// Where a quote, a backslash, a control character or a byte above 0x7F stands first, or fewer than eight bytes are left.
    ///
    /// Eight bytes at a time. `x - n` in each byte sets its top bit where `x` is below `n`, and nowhere else, as long as no byte
    /// above 0x7F is there, which is marked by itself. It may borrow from the next byte, so a mark may be wrong, but only
    /// behind a right one: the lowest can be trusted.
    @inline(__always)
    private func endOfPlainBytes(from place: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawPointer(start)
        let last = count &- 8
        var place = place
        while place <= last {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let quote = (word ^ (ones &* 0x22)) &- ones
            let backslash = (word ^ (ones &* 0x5C)) &- ones
            let control = word &- (ones &* 0x20)
            let marks = (quote | backslash | control | word) & tops
            if marks != 0 { return place &+ marks.trailingZeroBitCount >> 3 }
            place &+= 8
        }
        return place
    }

    private mutating func scanEscape() throws(JSONError) {
        let place = position
        guard place + 1 < count else { throw JSONError(.endsTooSoon, at: count) }
        switch start[place + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            let unit = try scanUnit()
            guard unit & 0xF800 == 0xD800 else { return }
            try checkSurrogate(unit, at: place)
        default:
            throw JSONError(.badEscape, at: place)
        }
    }

    /// `\uXXXX`, with `position` on the backslash.
    private mutating func scanUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for index in position + 2..<position + 6 {
            guard index < count else { throw JSONError(.endsTooSoon, at: count) }
            guard let digit = hexDigit(start[index]) else { throw JSONError(.badEscape, at: position) }
            unit = unit << 4 | UInt16(digit)
        }
        position += 6
        return unit
    }

    private mutating func checkSurrogate(_ unit: UInt16, at place: Int) throws(JSONError) {
        let isFollowed = position < count && start[position] == UInt8(ascii: "\\")
        guard position + (isFollowed ? 1 : 0) < count else { throw JSONError(.endsTooSoon, at: count) }
        if unit & 0xFC00 == 0xD800, isFollowed, start[position + 1] == UInt8(ascii: "u") {
            let second = position
            if try scanUnit() & 0xFC00 == 0xDC00 { return }
            // Not the other half: it is looked at again, as an escape of its own.
            position = second
        }
        guard rules.loneSurrogate == .replaced else { throw JSONError(.loneSurrogate, at: place) }
    }

    /// One character of two to four bytes, well formed by table 3-7 of the Unicode standard.
    private mutating func scanMultibyte() throws(JSONError) {
        let first = start[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONError(.badUTF8, at: position)
        }
        guard position + length <= count else { throw JSONError(.endsTooSoon, at: count) }
        guard second.contains(start[position + 1]) else { throw JSONError(.badUTF8, at: position) }
        for index in position + 2..<max(position + 2, position + length) where start[index] & 0xC0 != 0x80 {
            throw JSONError(.badUTF8, at: position)
        }
        position += length
    }

    /// `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`
    mutating func scanNumber() throws(JSONError) -> JSONNumber {
        let first = position
        if start[position] == UInt8(ascii: "-") { position += 1 }
        let leading = position
        try scanDigits()
        guard start[leading] != UInt8(ascii: "0") || position == leading + 1 else {
            throw JSONError(.badNumber, at: leading)
        }
        var isWhole = true
        if position < count, start[position] == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            try scanDigits()
        }
        if position < count, start[position] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if position < count, start[position] == UInt8(ascii: "+") || start[position] == UInt8(ascii: "-") {
                position += 1
            }
            try scanDigits()
        }
        guard position - first <= rules.maximumNumberLength else { throw JSONError(.numberTooLong, at: first) }
        return JSONNumber(
            raw: UnsafeBufferPointer(start: start + first, count: position - first), isWhole: isWhole)
    }

    private mutating func scanDigits() throws(JSONError) {
        let first = position
        while position < count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= start[position] { position += 1 }
        guard position == first else { return }
        throw JSONError(position < count ? .badNumber : .endsTooSoon, at: position)
    }
}
