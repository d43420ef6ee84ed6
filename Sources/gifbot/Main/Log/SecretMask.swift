import Base
import HTTP

/// Replaces every secret, in each form in which it could reach a line, by stars.
struct SecretMask {
    private var needles: [[UInt8]] = []
    /// The same in the order in which they came: tokens are renewed for years, and the oldest are dead.
    private var known: [[UInt8]] = []
    private static let most = 400

    /// Shorter ones would blank out ordinary words.
    private static let shortest = 4

    mutating func add(_ secret: Secret) {
        let raw = Array(secret.value.utf8)
        guard raw.count >= Self.shortest else { return }
        let encoded = percentEncoded(secret.value)
        let forms = [raw, Array(encoded.utf8), Array(encoded.lowercased().utf8), Self.escaped(raw)]
        for form in forms where !known.contains(form) {
            known.append(form)
        }
        known.removeFirst(max(0, known.count - Self.most))
        // The longest first: a secret inside another one must not leave the rest of it standing.
        needles = known.sorted { $0.count > $1.count }
    }

    func applied(to line: [UInt8]) -> [UInt8] {
        var line = line
        for needle in needles {
            line = Self.replacing(needle, in: line)
        }
        return line
    }

    /// As the log writes quotes and backslashes.
    private static func escaped(_ raw: [UInt8]) -> [UInt8] {
        raw.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    private static func replacing(_ needle: [UInt8], in line: [UInt8]) -> [UInt8] {
        guard line.count >= needle.count else { return line }
        var out: [UInt8] = []
        var at = 0
        while at < line.count {
            if line[at] == needle[0], line.count - at >= needle.count,
                line[at..<at + needle.count].elementsEqual(needle)
            {
                out += Array("***".utf8)
                at += needle.count
            } else {
                out.append(line[at])
                at += 1
            }
        }
        return out
    }
}
