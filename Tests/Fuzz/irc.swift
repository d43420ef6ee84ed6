import IRC

/// Framer, parser and encoder: whatever a server sends.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = Input(data, size)
    let whole = lines(of: [input.bytes[...]])
    let cut = input.cut
    must(lines(of: [input.bytes[..<cut], input.bytes[cut...]]) == whole, "a cut in the stream changes nothing")
    for line in whole { check(line) }
    return 0
}

private func lines(of parts: [ArraySlice<UInt8>]) -> [[UInt8]] {
    var framer = LineFramer()
    var found: [[UInt8]] = []
    for part in parts {
        part.withUnsafeBytes { framer.append($0) { found.append(Array($0)) } }
    }
    return found
}

private func check(_ line: [UInt8]) {
    must(!line.contains(0x0A), "no line holds a line end")
    guard let message = line.withUnsafeBytes({ IRCMessage(parsing: $0) }) else { return }
    let encoded = message.encoded()
    must(encoded.suffix(2) == [0x0D, 0x0A], "a line ends with CR LF")
    must(!encoded.dropLast(2).contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "one message makes one line")
}
