import Base

/// One event as text for people or as JSON for machines. Values come from outside: control characters, and those that are hidden or
/// turn the direction, are written as escapes, and a long value is cut.
struct LogLine {
    let event: LogEvent
    /// How many lines of the same message were left out before this one.
    let suppressed: Int
    let stamp: String
    /// Blanks out secrets. Asked before a value is cut, since half a secret is no longer found.
    var mask: (String) -> String = { $0 }

    /// Bytes of UTF-8.
    private static let longestValue = 400

    var text: String {
        var line = "\(stamp) \(event.level.name) \(event.area): \(event.message)"
        for (name, value) in fields {
            let clean = Self.escaped(cut(value))
            line += " \(name)=" + (clean.contains(" ") || clean.isEmpty ? "\"\(clean)\"" : clean)
        }
        return line
    }

    var json: String {
        let pairs =
            [("time", stamp), ("level", event.level.name), ("area", event.area), ("message", event.message)] + fields
        return "{" + pairs.map { Self.quoted($0.0) + ":" + Self.quoted(cut($0.1)) }.joined(separator: ",") + "}"
    }

    private var fields: [(String, String)] {
        event.fields.map { ($0.name, $0.value) } + (suppressed > 0 ? [("repeated", String(suppressed))] : [])
    }

    /// Text from outside for one line of a terminal.
    static func plain(_ value: String) -> String { escaped(value) }

    private func cut(_ value: String) -> String {
        guard value.utf8.count > Self.longestValue else { return value }
        var bytes = mask(value).utf8.prefix(Self.longestValue)
        // Not inside a scalar.
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self) + "…"
    }

    private static func escaped(_ value: String) -> String {
        var out = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.isControl || scalar.isHidden: out += "\\u{\(String(scalar.value, radix: 16))}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func quoted(_ value: String) -> String {
        var out = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.isControl || scalar.isHidden:
                // Beyond the first plane as a pair (RFC 8259, section 7).
                for unit in UTF16.encode(scalar)! {
                    let hex = String(unit, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
