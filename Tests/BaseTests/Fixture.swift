import Base
import Testing

extension ConfigNode {
    /// A plain scalar on a line of its own.
    static func plain(_ text: String, line: Int = 1, comment: Bool = false) -> ConfigNode {
        ConfigNode(
            .scalar(text, isPlain: true), at: ConfigPlace(line: line, column: 5), isFollowedByComment: comment)
    }

    static func list(_ items: [ConfigNode], line: Int = 1) -> ConfigNode {
        ConfigNode(.list(items), at: ConfigPlace(line: line, column: 5))
    }

    static func nothing(line: Int = 1) -> ConfigNode {
        ConfigNode(.empty, at: ConfigPlace(line: line, column: 5))
    }

    static func map(_ entries: [(String, ConfigNode)], line: Int = 1) -> ConfigNode {
        let keyed = entries.enumerated().map { number, entry in
            (ConfigKey(name: entry.0, place: ConfigPlace(line: line + number, column: 1)), entry.1)
        }
        return ConfigNode(.map(keyed.map { (key: $0.0, value: $0.1) }), at: ConfigPlace(line: line, column: 1))
    }
}

struct Config {
    let context: ConfigContext
    let map: ConfigMap

    init(
        _ entries: [(String, ConfigNode)], path: String = "", environment: [String: String] = [:],
        files: [String: String] = [:]
    ) throws {
        context = ConfigContext(folder: "/etc/gifbot", environment: { environment[$0] }) {
            (name) throws(ConfigFileError) in
            guard let text = files[name] else { throw ConfigFileError(reason: "no such file") }
            return text
        }
        map = try #require(ConfigMap(.map(entries), path: path, in: context))
    }

    /// `path: message` of each fault.
    var faults: [String] { context.faults.map { "\($0.path): \($0.message)" } }
    var warnings: [String] { context.warnings.map(\.path) }
}
