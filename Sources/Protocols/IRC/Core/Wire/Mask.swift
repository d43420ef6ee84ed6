/// A pattern such as `*!*@*.example.org`: `*` is any text, `?` one character's byte, compared by the server's rules.
public struct Mask: Equatable, Sendable {
    public let pattern: String

    public init(_ pattern: String) {
        self.pattern = pattern
    }

    public func matches(_ text: String, by mapping: Casemapping = .rfc1459) -> Bool {
        let pattern = pattern.utf8.map { mapping.folded($0) }
        let text = text.utf8.map { mapping.folded($0) }
        var p = 0
        var t = 0
        // After a mismatch only the last star has to try again, one byte further: no recursion, no exponential time.
        var retry: (p: Int, t: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
                retry = (p + 1, t)
                p += 1
            } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") || pattern[p] == text[t] {
                p += 1
                t += 1
            } else if let last = retry {
                retry = (last.p, last.t + 1)
                p = last.p
                t = last.t + 1
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
