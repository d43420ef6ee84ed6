public import Base

/// Reads a config file. Of YAML it takes what people write by hand: mappings, lists and scalars; no anchors, aliases,
/// tags or further documents. No scalar changes its type: `no`, `0123` and `null` stay the characters they are, and
/// only nothing at all and a plain `~` are `.empty`.
public enum YAMLReader {
    /// Bytes.
    public static let longestFile = 1 << 20
    public static let deepestNesting = 50

    /// Stops at the first fault of the syntax, since what follows one can't be trusted.
    public static func parse(_ bytes: [UInt8]) throws(YAMLError) -> ConfigNode {
        guard bytes.count <= longestFile else { throw YAMLError("the file is larger than 1 MiB") }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
        return try text.withUnsafeBufferPointer { (buffer) throws(YAMLError) in
            var document = try DocumentReader(buffer)
            return try document.read()
        }
    }
}

/// Builds the tree of the one document.
private struct DocumentReader: ~Copyable {
    private let events: EventReader
    private var text: CharacterCursor

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
        events = try EventReader(bytes)
        text = CharacterCursor(bytes)
    }

    mutating func read() throws(YAMLError) -> ConfigNode {
        var root: ConfigNode?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamStart, .documentEnd: continue
            case .documentStart(let hasTags):
                guard !hasTags else { throw YAMLError("tags are not used here", at: event.start) }
                guard root == nil else {
                    throw YAMLError("a second document starts here; one file holds one", at: event.start)
                }
                root = try node(from: events.next(), depth: 1)
            case .streamEnd, .alias, .scalar, .listStart, .listEnd, .mapStart, .mapEnd:
                guard let root, !root.isEmpty else { throw YAMLError("the file is empty") }
                return root
            }
        }
    }

    private mutating func node(from event: YAMLEvent, depth: Int) throws(YAMLError) -> ConfigNode {
        guard !event.hasAnchor else {
            throw YAMLError("anchors (&) are not used here; quote a value that starts with &", at: event.start)
        }
        guard !event.hasTag else {
            throw YAMLError("tags (!) are not used here; quote a value that starts with !", at: event.start)
        }
        guard depth <= YAMLReader.deepestNesting else { throw YAMLError("nested too deeply", at: event.start) }
        switch event.kind {
        case .scalar(let text, let isPlain): return scalar(text, isPlain: isPlain, event)
        case .listStart: return try list(from: event, depth: depth)
        case .mapStart: return try map(from: event, depth: depth)
        case .alias: throw YAMLError("aliases (*) are not used here; quote a value that starts with *", at: event.start)
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .listEnd, .mapEnd:
            throw YAMLError("expected a value", at: event.start)
        }
    }

    private mutating func scalar(_ value: String, isPlain: Bool, _ event: YAMLEvent) -> ConfigNode {
        let isFollowedByComment = isPlain && text.startsComment(after: event.endCharacter)
        let isEmpty = isPlain && (value.isEmpty || value == "~")
        return ConfigNode(
            isEmpty ? .empty : .scalar(value, isPlain: isPlain), at: event.start,
            isFollowedByComment: isFollowedByComment)
    }

    private mutating func list(from start: YAMLEvent, depth: Int) throws(YAMLError) -> ConfigNode {
        var items: [ConfigNode] = []
        while true {
            let event = try events.next()
            if case .listEnd = event.kind { return ConfigNode(.list(items), at: start.start) }
            items.append(try node(from: event, depth: depth + 1))
        }
    }

    private mutating func map(from start: YAMLEvent, depth: Int) throws(YAMLError) -> ConfigNode {
        var entries: [(key: ConfigNode.ConfigKey, value: ConfigNode)] = []
        var lines: [String: Int] = [:]
        while true {
            let event = try events.next()
            if case .mapEnd = event.kind { return ConfigNode(.map(entries), at: start.start) }
            let key = try key(from: event, depth: depth + 1)
            if let line = lines.updateValue(key.place.line, forKey: key.name) {
                throw YAMLError("this key is given twice (first on line \(line))", at: key.place)
            }
            entries.append((key, try node(from: events.next(), depth: depth + 1)))
        }
    }

    private mutating func key(from event: YAMLEvent, depth: Int) throws(YAMLError) -> ConfigNode.ConfigKey {
        let node = try node(from: event, depth: depth)
        switch node.value {
        case .scalar(let name, _): return ConfigNode.ConfigKey(name: name, place: node.place)
        case .empty: throw YAMLError("a key with nothing in it", at: node.place)
        case .list, .map: throw YAMLError("a key must be a single text", at: node.place)
        }
    }
}
