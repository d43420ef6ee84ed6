/// A mapping of the config while it is decoded. Several decoders may read one mapping (an IRC network holds connection
/// keys and channel settings side by side); `finish()` then reports the keys that nobody knew.
///
/// Every getter returns nil both for an absent key and for a faulty value; the fault is in the context.
public final class ConfigMap {
    public let context: ConfigContext
    public let path: String
    public let place: ConfigPlace
    private let entries: [(key: ConfigNode.ConfigKey, value: ConfigNode)]
    private var known: Set<String> = []

    /// An absent section: every key of it is absent.
    public init(emptyAt path: String, in context: ConfigContext) {
        self.context = context
        self.path = path
        place = ConfigPlace(line: 1, column: 1)
        entries = []
    }

    public init?(_ node: ConfigNode, path: String, in context: ConfigContext) {
        guard case .map(let entries) = node.value else {
            context.fault("expected a mapping of keys to values, found \(node.kindName)", at: node.place, path: path)
            return nil
        }
        self.context = context
        self.path = path
        place = node.place
        self.entries = entries
    }

    public func path(of key: String) -> String {
        path.isEmpty ? key : path + "." + key
    }

    /// The raw node of a key, for values that have a shape of their own.
    public func node(_ key: String) -> ConfigNode? {
        known.insert(key)
        context.noteAsked(for: key)
        return entries.first { $0.key.name == key }?.value
    }

    /// Keys in the order written, for mappings whose keys are names.
    public var keys: [ConfigNode.ConfigKey] { entries.map(\.key) }

    public func has(_ key: String) -> Bool { node(key) != nil }

    public func fault(_ key: String, _ message: String) {
        context.fault(message, at: node(key)?.place ?? place, path: path(of: key))
    }

    public func warn(_ key: String, _ message: String) {
        context.warn(message, at: node(key)?.place ?? place, path: path(of: key))
    }

    /// Reports every key that no decoder asked for, with the nearest known name.
    public func finish() {
        for (key, _) in entries where !known.contains(key.name) {
            let hint = nearest(to: key.name, among: known).map { "; did you mean \($0)?" } ?? ""
            context.fault(unknownKey: hint, at: key.place, path: path(of: key.name))
        }
    }
}

extension ConfigNode {
    /// What the value is, in words for a fault; never the value itself.
    public var kindName: String {
        switch value {
        case .scalar: "a single value"
        case .list: "a list"
        case .map: "a mapping"
        case .empty: "nothing"
        }
    }
}

/// The known name fewest edits away, if it is near enough to be a slip of the fingers.
public func nearest(to name: String, among known: some Collection<String>) -> String? {
    let best = known.map { (name: $0, edits: editDistance(Array(name.utf8), Array($0.utf8))) }
        .min { ($0.edits, $0.name) < ($1.edits, $1.name) }
    guard let best, best.edits <= max(1, name.utf8.count / 3) else { return nil }
    return best.name
}

/// Letters put in, left out, changed, or swapped with their neighbour, each counted once.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var before: [Int] = []
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
        var next = [i + 1]
        for (j, y) in b.enumerated() {
            var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (x == y ? 0 : 1))
            if i > 0, j > 0, x == b[j - 1], y == a[i - 1] { least = min(least, before[j - 1] + 1) }
            next.append(least)
        }
        (before, row) = (row, next)
    }
    return row[b.count]
}
