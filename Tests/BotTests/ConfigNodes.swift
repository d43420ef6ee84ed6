import Base

/// YAML's shapes as literals, for decoders that are tested without a file.
indirect enum Shape: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    case text(String)
    case list([Shape])
    case map([(String, Shape)])

    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral elements: Shape...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, Shape)...) { self = .map(elements) }

    /// The line of each key is its number in its mapping.
    var node: ConfigNode {
        let place = ConfigPlace(line: 1, column: 1)
        return switch self {
        case .text(let text): ConfigNode(.scalar(text, isPlain: true), at: place)
        case .list(let items): ConfigNode(.list(items.map(\.node)), at: place)
        case .map(let entries):
            ConfigNode(
                .map(entries.map { (key: ConfigNode.ConfigKey(name: $0.0, place: place), value: $0.1.node) }), at: place
            )
        }
    }
}

/// Decodes a shape and gives the value with the faults found, as `path: message`.
func decoded<T>(_ shape: Shape, at path: String, _ decode: (ConfigMap) -> T) -> (value: T?, faults: [String]) {
    let context = ConfigContext(
        folder: "/etc/gifbot", environment: { _ in nil },
        readFile: { (_) throws(ConfigFileError) in throw ConfigFileError(reason: "no files here") })
    let value = ConfigMap(shape.node, path: path, in: context).map(decode)
    return (value, context.faults.map { "\($0.path): \($0.message)" })
}
