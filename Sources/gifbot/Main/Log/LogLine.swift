import Base

/// One event as text for people or as JSON for machines. Values come from outside: control and direction characters
/// are written as escapes, and a long value is cut.
struct LogLine {
    let event: LogEvent
    /// How many lines of the same message were left out before this one.
    let suppressed: Int
    let stamp: String

    private static let longestValue = 400

    var text: String {
        var line = "\(stamp) \(event.level) \(event.area): \(event.message)"
        for (name, value) in fields {
            let clean = Self.escaped(value)
            line += " \(name)=" + (clean.contains(" ") || clean.isEmpty ? "\"\(clean)\"" : clean)
        }
        return line
    }

    var json: String {
        let pairs =
            [("time", stamp), ("level", "\(event.level)"), ("area", event.area), ("message", event.message)] + fields
        return "{" + pairs.map { Self.quoted($0.0) + ":" + Self.quoted($0.1) }.joined(separator: ",") + "}"
    }

    private var fields: [(String, String)] {
        event.fields.map { ($0.name, $0.value) } + (suppressed > 0 ? [("repeated", String(suppressed))] : [])
    }

    /// Text from outside for one line of a terminal.
    static func plain(_ value: String) -> String { escaped(value) }

    private static func cut(_ value: String) -> String {
        value.utf8.count <= longestValue ? value : String(value.prefix(longestValue / 4)) + "…"
    }

    private static func escaped(_ value: String) -> String {
        var out = ""
        for scalar in cut(value).unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.isUnsafeInLog: out += "\\u{\(String(scalar.value, radix: 16))}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func quoted(_ value: String) -> String {
        var out = "\""
        for scalar in cut(value).unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.isUnsafeInLog:
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, line separators and the direction overrides that can make a line read as another one.
    fileprivate var isUnsafeInLog: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
