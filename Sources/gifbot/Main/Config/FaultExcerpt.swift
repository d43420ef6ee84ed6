import Base

/// The line of the file that a fault is on, with a caret below the place. What may be a secret is written as stars: in a
/// file that can't be read nobody knows what each text is, so the names of keys decide.
struct FaultExcerpt {
    private let lines: [Substring]
    private let secrets: SecretMask
    /// False where the file's syntax is broken: then no value is known to be harmless.
    private let isReadable: Bool
    /// Of keys that nobody knows: what their values are nobody knows either.
    private let unknownKeys: [ConfigPlace]

    private static let longest = 160
    private static let secretKeys = ["password", "key", "access_token", "token", "secret", "passphrase", "pass"]
    private static let secretParts = ["pass", "key", "token", "secret", "auth", "cred"]

    init(file bytes: [UInt8], secrets: [Secret], isReadable: Bool, unknownKeys: [ConfigPlace]) {
        self.unknownKeys = unknownKeys
        // Only what shows in one line: libyaml ends a line at CR, LF or both.
        lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
        var mask = SecretMask()
        for secret in secrets {
            mask.add(secret)
            // One written over several lines stands there in pieces.
            for piece in secret.value.split(whereSeparator: \.isWhitespace) { mask.add(Secret(String(piece))) }
        }
        self.secrets = mask
        self.isReadable = isReadable
    }

    /// Two lines, or none where the file has no such place.
    func lines(at place: ConfigPlace) -> [String] {
        guard place.line >= 1, place.line <= lines.count else { return [] }
        let line = lines[place.line - 1]
        guard !line.allSatisfy(\.isWhitespace) else { return [] }
        let number = "\(place.line)"
        let shown = masked(line, number: place.line)
        let gap = String(repeating: " ", count: number.count)
        // A tab takes as much room in the line below as it does in the line.
        let before = line.unicodeScalars.prefix(place.column - 1).map { $0 == "\t" ? "\t" : " " }.joined()
        guard before.count < Self.longest else { return [] }
        return ["  \(number) | \(shown)", "  \(gap) | \(before)^"]
    }

    private func masked(_ line: Substring, number: Int) -> String {
        var text = String(line)
        let keys = line.keys
        if !isReadable, !line.isStructure, !isOrdinary(line, keys) {
            // The rest of a text that began on another line may be a password.
            text = String(line.prefix { $0 == " " }) + "***"
        } else if let end = keys.first(where: { isSecret(line[$0.name]) || isUnknown($0.name, in: line, number) })?.end
        {
            text = String(line[..<end]) + " ***"
        }
        text = withoutLogin(text)
        text = String(decoding: secrets.applied(to: Array(text.utf8)), as: UTF8.self)
        let clean = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isShown ? $0 : "\u{FFFD}" }))
        return clean.count > Self.longest ? clean.prefix(Self.longest) + "…" : clean
    }

    /// It begins with a key of the config and has no others.
    private func isOrdinary(_ line: Substring, _ keys: [Substring.Key]) -> Bool {
        guard let first = keys.first, keys.allSatisfy({ KnownKeys.all.contains(String(line[$0.name])) }) else {
            return false
        }
        return line[..<first.name.lowerBound].allSatisfy { "-[{\"' \t".contains($0) }
    }

    private func isUnknown(_ name: Range<Substring.Index>, in line: Substring, _ number: Int) -> Bool {
        let column = line.unicodeScalars.distance(from: line.startIndex, to: name.upperBound)
        return unknownKeys.contains { $0.line == number && $0.column <= column }
    }

    /// Slips of the fingers count too: `pasword: …` is a password.
    private func isSecret(_ name: Substring) -> Bool {
        let name = name.lowercased()
        return Self.secretParts.contains { name.contains($0) } || nearest(to: name, among: Self.secretKeys) != nil
    }

    /// `socks5h://user:password@host`.
    private func withoutLogin(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound, let at = text[start...].lastIndex(of: "@") else {
            return text
        }
        return String(text[..<start]) + "***" + text[at...]
    }
}

extension Substring {
    fileprivate typealias Key = (name: Range<Index>, end: Index)

    /// Everything that may be a key: word characters before a colon, perhaps with a quote or blanks between.
    fileprivate var keys: [Key] {
        var found: [Key] = []
        var word: Range<Index>?
        var goesOn = false
        for index in indices {
            let character = self[index]
            let next = self.index(after: index)
            let isWord = character.isLetter || character.isNumber || character == "_" || character == "-"
            if isWord {
                word = goesOn ? word.map { $0.lowerBound..<next } : index..<next
            } else if character == ":", let name = word {
                found.append((name, next))
                word = nil
            } else if !character.isWhitespace, character != "\"", character != "'" {
                word = nil
            }
            goesOn = isWord
        }
        return found
    }

    /// An entry of a list, a comment, or only brackets.
    fileprivate var isStructure: Bool {
        guard keys.isEmpty else { return false }
        let text = drop { $0 == " " }
        return text.hasPrefix("- ") || text.hasPrefix("#") || text.allSatisfy { "-[]{}, ".contains($0) }
    }
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool { self == "\t" || !isControl && !isHidden }
}
