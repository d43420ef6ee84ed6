import HTTP

/// Header lines of one response as libcurl hands them over, one a call. Bounded: more ends the transfer.
struct HeaderCollector {
    static let countLimit = 200
    static let byteLimit = 64 << 10

    private(set) var headers: [HTTPHeader] = []
    private(set) var overflowed = false
    private var bytes = 0

    /// False when it is too much. A status line begins anew: what came before was an interim response.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        if line.starts(with: "HTTP/".utf8) {
            headers.removeAll(keepingCapacity: true)
            return true
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        bytes += line.count
        guard headers.count < Self.countLimit, bytes <= Self.byteLimit else {
            overflowed = true
            return false
        }
        let name = line[..<colon].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let value = line[(colon + 1)...].drop(while: Self.isSpace)
        let end = value.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? value.startIndex
        headers.append(
            HTTPHeader(String(decoding: name, as: UTF8.self), String(decoding: value[..<end], as: UTF8.self)))
        return true
    }

    /// Space, tab and the line end.
    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }

    /// Whether a header may be sent: a token as name (RFC 9110 section 5.6.2), no control byte in the value, so that
    /// none can hold a second header.
    static func isAllowed(_ header: HTTPHeader) -> Bool {
        !header.name.isEmpty && header.name.utf8.allSatisfy(isTokenByte)
            && header.value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
