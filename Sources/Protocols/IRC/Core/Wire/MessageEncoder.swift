extension IRCMessage {
    /// Bytes of a line with its CR LF and without its tags; a server may cut off what is beyond, or hang up.
    public static let lineLimit = 512
    /// Bytes of tags that a client may send, with the `@` and the space (message-tags, size limit).
    static let sentTagLimit = 4096

    /// The line as it goes to the server, with CR LF. Every outgoing line is made here and nowhere else.
    ///
    /// CR, LF and NUL become spaces in every part, so one message is always one line. What a middle parameter can't
    /// hold (a space, a colon in front, nothing at all) is replaced, so no text becomes a parameter more. A line over
    /// the limit is cut between characters.
    public func encoded() -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(128)
        appendTags(to: &line)
        let start = line.count
        if let source {
            line.append(UInt8(ascii: ":"))
            appendWord(source, to: &line)
            line.append(0x20)
        }
        appendWord(command, to: &line)
        for (index, parameter) in parameters.enumerated() {
            line.append(0x20)
            if index == parameters.count - 1 {
                appendLast(parameter, to: &line)
            } else {
                appendWord(parameter, to: &line)
            }
        }
        cut(&line, to: start + Self.lineLimit - 2)
        line.append(0x0D)
        line.append(0x0A)
        return line
    }

    private func appendTags(to line: inout [UInt8]) {
        guard !tags.isEmpty else { return }
        line.append(UInt8(ascii: "@"))
        for (index, tag) in tags.enumerated() {
            var part: [UInt8] = index == 0 ? [] : [UInt8(ascii: ";")]
            for byte in tag.name.utf8 where byte != UInt8(ascii: ";") && byte != UInt8(ascii: "=") {
                part.append(wordByte(byte))
            }
            if !tag.value.isEmpty {
                part.append(UInt8(ascii: "="))
                for byte in tag.value.utf8 { appendEscaped(byte, to: &part) }
            }
            if line.count + part.count < Self.sentTagLimit { line += part }
        }
        line.append(0x20)
    }

    /// Texts always get their colon, so that the room left in a line is known beforehand; elsewhere some servers
    /// are stricter than the format, and it is left out where it may be.
    private func appendLast(_ text: String, to line: inout [UInt8]) {
        let isText = command == "PRIVMSG" || command == "NOTICE"
        if isText || text.isEmpty || text.utf8.first == UInt8(ascii: ":")
            || text.anyByte(where: { $0 == 0x20 || isLineBreaking($0) })
        {
            line.append(UInt8(ascii: ":"))
        }
        let start = line.count
        line.append(contentsOf: text.utf8)
        line.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count where isLineBreaking(bytes[index]) { bytes[index] = 0x20 }
        }
    }

    private func appendWord(_ text: String, to line: inout [UInt8]) {
        if text.isEmpty { line.append(UInt8(ascii: "*")) }
        let start = line.count
        line.append(contentsOf: text.utf8)
        line.withUnsafeMutableBufferPointer { bytes in
            for index in start..<bytes.count { bytes[index] = wordByte(bytes[index]) }
            if start < bytes.count, bytes[start] == UInt8(ascii: ":") { bytes[start] = UInt8(ascii: "_") }
        }
    }
}

private func isLineBreaking(_ byte: UInt8) -> Bool {
    byte == 0x0D || byte == 0x0A || byte == 0
}

private func wordByte(_ byte: UInt8) -> UInt8 {
    isLineBreaking(byte) || byte == 0x20 ? UInt8(ascii: "_") : byte
}

private func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
    let escape: UInt8? =
        switch byte {
        case UInt8(ascii: ";"): UInt8(ascii: ":")
        case 0x20, 0: UInt8(ascii: "s")
        case 0x0D: UInt8(ascii: "r")
        case 0x0A: UInt8(ascii: "n")
        case UInt8(ascii: "\\"): byte
        default: nil
        }
    if let escape {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(escape)
    } else {
        bytes.append(byte)
    }
}

/// Shortens UTF-8 without leaving a part of a character.
private func cut(_ line: inout [UInt8], to limit: Int) {
    guard line.count > limit else { return }
    var end = limit
    while end > 0, line[end] & 0xC0 == 0x80 { end -= 1 }
    line.removeLast(line.count - end)
}
