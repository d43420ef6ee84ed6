extension IRCMessage {
    /// Reads one line without its line end; nil if there is no command in it.
    ///
    /// `encoding` is for what isn't UTF-8. Only the space separates (a tab doesn't), several count as one.
    public init?(parsing line: UnsafeRawBufferPointer, encoding: TextEncoding = .latin1) {
        var scanner = Scanner(line: line, encoding: encoding)
        var tags: [Tag] = []
        if scanner.skip(UInt8(ascii: "@")) {
            tags = parseTags(scanner.word(), encoding)
            scanner.skipSpaces()
        }
        var source: String?
        if scanner.skip(UInt8(ascii: ":")) {
            source = scanner.encoding.decode(scanner.word())
        }
        scanner.skipSpaces()
        let command = scanner.word()
        guard !command.isEmpty else { return nil }
        var parameters: [String] = []
        while true {
            scanner.skipSpaces()
            if scanner.isAtEnd { break }
            if scanner.skip(UInt8(ascii: ":")) {
                parameters.append(encoding.decode(scanner.rest()))
                break
            }
            parameters.append(encoding.decode(scanner.word()))
        }
        self.init(encoding.decode(command), parameters, source: source, tags: tags)
    }

    public init?(parsing line: some Sequence<UInt8>, encoding: TextEncoding = .latin1) {
        let bytes = Array(line)
        let parsed = bytes.withUnsafeBytes { IRCMessage(parsing: $0, encoding: encoding) }
        guard let parsed else { return nil }
        self = parsed
    }
}

private struct Scanner {
    let line: UnsafeRawBufferPointer
    let encoding: TextEncoding
    var position = 0

    init(line: UnsafeRawBufferPointer, encoding: TextEncoding) {
        self.line = line
        self.encoding = encoding
    }

    var isAtEnd: Bool { position == line.count }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard position < line.count, line[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpaces() {
        while position < line.count, line[position] == 0x20 { position += 1 }
    }

    mutating func word() -> UnsafeRawBufferPointer {
        let start = position
        while position < line.count, line[position] != 0x20 { position += 1 }
        return UnsafeRawBufferPointer(rebasing: line[start..<position])
    }

    mutating func rest() -> UnsafeRawBufferPointer {
        defer { position = line.count }
        return UnsafeRawBufferPointer(rebasing: line[position...])
    }
}

/// Servers send some ten. Whoever fills the 8,191 bytes with names has nothing to say to us.
private let mostTags = 64

private func parseTags(_ bytes: UnsafeRawBufferPointer, _ encoding: TextEncoding) -> [IRCMessage.Tag] {
    var tags: [IRCMessage.Tag] = []
    for part in bytes.split(separator: UInt8(ascii: ";")) {
        let equals = part.firstIndex(of: UInt8(ascii: "="))
        let name = encoding.decode(UnsafeRawBufferPointer(rebasing: part[..<(equals ?? part.endIndex)]))
        guard !name.isEmpty else { continue }
        let value = equals.map { unescape(part[($0 + 1)...], encoding) } ?? ""
        // The last value of a name counts (message-tags, rules for receiving).
        if let index = tags.firstIndex(where: { $0.name == name }) {
            tags[index].value = value
        } else if tags.count < mostTags {
            tags.append(IRCMessage.Tag(name, value))
        }
    }
    return tags
}

private func unescape(_ bytes: Slice<UnsafeRawBufferPointer>, _ encoding: TextEncoding) -> String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return encoding.decode(UnsafeRawBufferPointer(rebasing: bytes)) }
    var plain: [UInt8] = []
    var isEscaped = false
    for byte in bytes {
        if isEscaped {
            isEscaped = false
            plain.append(unescaped(byte))
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else {
            plain.append(byte)
        }
    }
    return plain.withUnsafeBytes { encoding.decode($0) }
}

/// An unknown escape loses its backslash.
private func unescaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: ":"): UInt8(ascii: ";")
    case UInt8(ascii: "s"): 0x20
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "n"): 0x0A
    default: byte
    }
}
