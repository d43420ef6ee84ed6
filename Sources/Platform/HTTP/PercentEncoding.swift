/// Percent-encodes everything but RFC 3986's unreserved characters, so that `+`, `/`, `&` and `#` typed by a person
/// arrive as themselves (RFC 3986 section 2.3).
public func percentEncoded(_ text: String) -> String {
    percentEncoded(bytes: Array(text.utf8))
}

public func percentEncoded(bytes: [UInt8]) -> String {
    encoded(atMost: 3 * bytes.count) { append(bytes, to: &$0) }
}

/// Joins `name=value` pairs into a query, both sides encoded.
public func queryString(_ items: [(name: String, value: String)]) -> String {
    let most = items.reduce(0) { $0 + 3 * ($1.name.utf8.count + $1.value.utf8.count) + 2 }
    return encoded(atMost: most) { out in
        for (place, item) in items.enumerated() {
            if place > 0 { out.append(UInt8(ascii: "&")) }
            append(item.name.utf8, to: &out)
            out.append(UInt8(ascii: "="))
            append(item.value.utf8, to: &out)
        }
    }
}

private func encoded(atMost most: Int, _ write: (inout [UInt8]) -> Void) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(most)
    write(&out)
    return String(decoding: out, as: UTF8.self)
}

private func append(_ bytes: some Sequence<UInt8>, to out: inout [UInt8]) {
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            out.append(byte)
        default:
            out.append(UInt8(ascii: "%"))
            out.append(hexDigit(byte >> 4))
            out.append(hexDigit(byte & 15))
        }
    }
}

private func hexDigit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "A") + number - 10
}
