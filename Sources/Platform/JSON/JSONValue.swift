/// A whole small body as a tree. Large ones are better pulled with `JSONReader`.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// Written without fraction or exponent, and within 64 bits: exact.
    case integer(Int64)
    /// Every other number. Canonical JSON can't hold it.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// Members in the order written. Of a key given twice the last counts; keys are compared byte by byte, since Swift's own
/// comparison takes two spellings of `é` for the same.
public struct JSONObject: Sendable {
    public struct Member: Sendable {
        public let key: String
        public var value: JSONValue

        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    public private(set) var members: [Member]

    public init(_ members: [Member] = []) {
        self.members = members
    }

    public subscript(key: String) -> JSONValue? {
        get { members.last { $0.key.isSpelled(like: key) }?.value }
        set {
            members.removeAll { $0.key.isSpelled(like: key) }
            if let newValue { members.append(Member(key, newValue)) }
        }
    }

    /// Sorted by code point, each key once: what canonical JSON writes, and what equality means.
    var canonicalMembers: [Member] {
        let sorted = members.enumerated().sorted { a, b in
            a.element.key.isSpelled(like: b.element.key)
                ? a.offset < b.offset : a.element.key.utf8.lexicographicallyPrecedes(b.element.key.utf8)
        }
        var out: [Member] = []
        out.reserveCapacity(sorted.count)
        for (_, member) in sorted {
            if let last = out.last, last.key.isSpelled(like: member.key) { out.removeLast() }
            out.append(member)
        }
        return out
    }
}

extension JSONObject: Equatable {
    /// The order of members doesn't count.
    public static func == (a: JSONObject, b: JSONObject) -> Bool {
        let (left, right) = (a.canonicalMembers, b.canonicalMembers)
        return left.count == right.count
            && zip(left, right).allSatisfy { $0.key.isSpelled(like: $1.key) && $0.value == $1.value }
    }
}

extension JSONValue {
    /// A member, if this is an object that has it.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// An element, if this is an array that has it.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }

    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
    /// Whole numbers, `480.0` among them.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value) where value.magnitude <= 0x1p53: Int64(exactly: value)
        case .null, .bool, .number, .string, .array, .object: nil
        }
    }
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0.0, $0.1) }))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { Member($0.0, $0.1) })
    }
}

extension String {
    func isSpelled(like other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
