public import JSON

extension EventContent {
    /// The content of a decrypted event; nil for one that is no object.
    public init?(_ plaintext: JSONValue) {
        guard plaintext.object != nil, let bytes = try? JSONWriter.canonical(plaintext.withoutFractions),
            let content = try? JSONReader.read(
                bytes, rules: .matrix, { (reader) throws(JSONError) in try EventContent.read(&reader) })
        else { return nil }
        self = content
    }
}

extension JSONValue {
    /// People's clients may put fractions into what no server checks; nothing that is read here is one.
    fileprivate var withoutFractions: JSONValue {
        switch self {
        case .number: .null
        case .integer(let value): value.magnitude < 1 << 53 ? self : .null
        case .array(let values): .array(values.map(\.withoutFractions))
        case .object(let object):
            .object(JSONObject(object.members.map { JSONObject.Member($0.key, $0.value.withoutFractions) }))
        case .null, .bool, .string: self
        }
    }
}
