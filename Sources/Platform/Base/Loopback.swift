/// Whether a host is this machine by what it is called, so that nothing sent to it in clear leaves the machine: `localhost`, which
/// libcurl resolves itself (RFC 6761 section 6.3), `::1` with or without brackets, or four numbers from 0 to 255 of which the first
/// is 127. Everything else is another machine's, spellings that a resolver might read as one of these too.
public func isLoopback(host: some StringProtocol) -> Bool {
    if host == "::1" || host == "[::1]" || host.lowercased() == "localhost" { return true }
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0].elementsEqual("127".utf8) && parts.allSatisfy(isByte)
}

/// As inet_pton(3) reads it: digits alone, none of them a leading zero.
private func isByte(_ text: some Collection<UInt8>) -> Bool {
    guard (1...3).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return (text.count == 1 || text.first != 0x30) && text.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
}
