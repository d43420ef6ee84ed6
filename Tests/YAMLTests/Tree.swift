import Base
import YAML

/// A tree in one line, for comparing: `"…"` is a quoted scalar, `∅` is empty, `;` marks a comment behind a value.
func tree(_ node: ConfigNode) -> String {
    let text: String =
        switch node.value {
        case .scalar(let text, let isPlain): isPlain ? text : "\"\(text)\""
        case .list(let items): "[" + items.map(tree).joined(separator: ", ") + "]"
        case .map(let entries): "{" + entries.map { "\($0.key.name): \(tree($0.value))" }.joined(separator: ", ") + "}"
        case .empty: "∅"
        }
    return text + (node.isFollowedByComment ? ";" : "")
}

func parse(_ text: String) throws(YAMLError) -> ConfigNode {
    try YAMLReader.parse(Array(text.utf8))
}

/// What reading goes wrong with, if it does.
func failure(_ bytes: [UInt8]) -> YAMLError? {
    do throws(YAMLError) {
        _ = try YAMLReader.parse(bytes)
        return nil
    } catch {
        return error
    }
}

func failure(_ text: String) -> YAMLError? {
    failure(Array(text.utf8))
}
