/// Percent-encodes everything but RFC 3986's unreserved characters, so that `+`, `/`, `&` and `#` typed by a person
/// arrive as themselves (RFC 3986 section 2.3).
public func percentEncoded(_ text: String) -> String {
    percentEncoded(bytes: Array(text.utf8))
}

public func percentEncoded(bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            out.append(byte)
        default:
            out.append(UInt8(ascii: "%"))
            out.append(digits[Int(byte >> 4)])
            out.append(digits[Int(byte & 15)])
        }
    }
    return String(decoding: out, as: UTF8.self)
}

/// Joins `name=value` pairs into a query, both sides encoded.
public func queryString(_ items: [(name: String, value: String)]) -> String {
    items.map { percentEncoded($0.name) + "=" + percentEncoded($0.value) }.joined(separator: "&")
}
