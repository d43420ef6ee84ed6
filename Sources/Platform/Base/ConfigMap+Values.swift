extension ConfigMap {
    /// Text keeps its exact characters: `no`, `0123` and `1e3` are text like any other.
    public func text(_ key: String) -> String? {
        guard let node = node(key) else { return nil }
        return scalar(node, path: path(of: key), expected: "text")
    }

    public func requiredText(_ key: String) -> String? {
        if has(key) { return text(key) }
        context.fault("missing: expected text", at: place, path: path(of: key))
        return nil
    }

    /// `true` or `false`, in any letter case, quoted or not. YAML 1.1's `yes` and `on` are refused, since they are
    /// more often meant as words.
    public func bool(_ key: String) -> Bool? {
        guard let text = scalar(key, expected: "true or false") else { return nil }
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        default:
            fault(key, "expected true or false")
            return nil
        }
    }

    /// A whole number in decimal digits, quoted or not.
    public func integer(_ key: String, in range: ClosedRange<Int>) -> Int? {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let text = scalar(key, expected: expected) else { return nil }
        guard let number = Int(digits: text), range.contains(number) else {
            fault(key, "expected \(expected)")
            return nil
        }
        return number
    }

    /// A number with one of the units s, m, h, d: `30s`, `2m`.
    public func duration(_ key: String) -> Duration? {
        guard let text = scalar(key, expected: "a time such as 30s, 5m, 1h or 2d") else { return nil }
        guard let duration = Duration(configText: text) else {
            fault(key, "expected a time such as 30s, 5m, 1h or 2d")
            return nil
        }
        return duration
    }

    /// A number of bytes, alone or with KB, MB, KiB or MiB: `8MB`.
    public func byteCount(_ key: String) -> Int? {
        guard let text = scalar(key, expected: "a size such as 8MB or 500KB") else { return nil }
        guard let count = parseByteCount(text) else {
            fault(key, "expected a size such as 8MB or 500KB")
            return nil
        }
        return count
    }

    /// One of a fixed set of words, in any letter case.
    public func choice<Choice: CaseIterable & RawRepresentable<String>>(_ key: String, _: Choice.Type) -> Choice? {
        let expected = "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
        guard let text = scalar(key, expected: expected) else { return nil }
        let lower = text.lowercased()
        if let choice = Choice.allCases.first(where: { $0.rawValue.lowercased() == lower }) { return choice }
        fault(key, "expected \(expected)")
        return nil
    }

    /// A list of texts. `[]` is an empty list; an entry with nothing in it is a fault (an unquoted `#` starts a comment).
    public func texts(_ key: String) -> [String]? {
        entries(key)?.compactMap { scalar($0.node, path: $0.path, expected: "text") }
    }

    /// A list of anything. Entries that are empty are faults and left out.
    public func list(_ key: String) -> [ConfigNode]? {
        entries(key)?.map(\.node)
    }

    /// Each entry with its path, which counts the empty ones too.
    private func entries(_ key: String) -> [(node: ConfigNode, path: String)]? {
        guard let node = node(key) else { return nil }
        guard case .list(let items) = node.value else {
            let advice = node.isEmpty ? "; write [] if none is wanted, and quote a name that starts with #" : ""
            fault(key, "expected a list, found \(node.kindName)\(advice)")
            return nil
        }
        return items.enumerated().compactMap { index, item in
            let path = path(of: key) + "[\(index)]"
            guard item.isEmpty else { return (item, path) }
            context.fault(
                "an empty entry; an unquoted # starts a comment, so quote a name that starts with #",
                at: item.place, path: path)
            return nil
        }
    }

    /// A mapping below a key.
    public func map(_ key: String) -> ConfigMap? {
        guard let node = node(key) else { return nil }
        return ConfigMap(node, path: path(of: key), in: context)
    }

    /// A secret as `key`, `key: "${NAME}"` or `key_file`.
    public func secret(_ key: String) -> Secret? {
        let fileKey = key + "_file"
        let direct = node(key)
        let file = node(fileKey)
        if direct != nil, file != nil {
            fault(fileKey, "both \(key) and \(fileKey) are given; one is enough")
            return nil
        }
        var secret: Secret?
        if let direct {
            if direct.isFollowedByComment {
                warn(key, "what follows the # on this line is a comment and not part of the value; quote it if it is")
            }
            secret = scalar(direct, path: path(of: key), expected: "text").map { Secret($0) }
            // An empty secret would be masked everywhere and protect nothing.
            if secret?.value.isEmpty == true {
                fault(key, "expected text, found an empty one")
                return nil
            }
        } else if let file, let name = text(fileKey) {
            secret = context.secretFile(name, at: file.place, path: path(of: fileKey))
        }
        if let secret { context.note(secret) }
        return secret
    }

    /// A path, made relative to the config file's folder.
    public func filePath(_ key: String) -> String? {
        text(key).map { context.resolve($0) }
    }

    private func scalar(_ key: String, expected: String) -> String? {
        node(key).flatMap { scalar($0, path: path(of: key), expected: expected) }
    }

    private func scalar(_ node: ConfigNode, path: String, expected: String) -> String? {
        guard case .scalar(let text, _) = node.value else {
            context.fault("expected \(expected), found \(node.kindName)", at: node.place, path: path)
            return nil
        }
        return context.expand(text, at: node.place, path: path)
    }
}

extension ConfigNode {
    public var isEmpty: Bool {
        if case .empty = value { true } else { false }
    }
}

extension Duration {
    /// `30s`, `5m`, `1h`, `2d`, and `10ms` for tests; nil for anything else, zero and what is longer than ten years.
    public init?(configText text: String) {
        if text.hasSuffix("ms") {
            guard let count = Int64(digits: text.dropLast(2)), 1...86_400_000 ~= count else { return nil }
            self = .milliseconds(count)
            return
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        guard let last = text.last, let unit = units[last], let count = Int64(digits: text.dropLast()), count > 0,
            count <= 315_360_000 / unit
        else { return nil }
        self = .seconds(count * unit)
    }
}

private func parseByteCount(_ text: String) -> Int? {
    let units: [(suffix: String, bytes: Int)] = [
        ("kib", 1024), ("mib", 1 << 20), ("kb", 1000), ("mb", 1_000_000), ("b", 1), ("", 1),
    ]
    let lower = text.lowercased()
    for unit in units where lower.hasSuffix(unit.suffix) {
        let digits = lower.dropLast(unit.suffix.count)
        guard let count = Int(digits: digits), count > 0, count <= 1 << 32 else { return nil }
        return count * unit.bytes
    }
    return nil
}

extension FixedWidthInteger {
    /// Decimal digits and nothing else; Swift's own reader takes a sign too.
    fileprivate init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
