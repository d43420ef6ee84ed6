public import Base

/// Why a file can't be read as YAML. The text never holds anything from the file, since that may be a secret.
public struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nil where the fault has no place, as with an empty file.
    public let place: ConfigPlace?
    public let problem: String

    public init(_ problem: String, at place: ConfigPlace? = nil) {
        self.place = place
        self.problem = problem
    }

    public var description: String {
        place.map { "line \($0.line), column \($0.column): \(problem)" } ?? problem
    }

    /// The same as a fault of the config, to be told like all others.
    public var fault: ConfigFault {
        ConfigFault(place: place, path: "", message: problem)
    }
}

extension YAMLError {
    /// libyaml's words (constants of its source, so nothing of the file is in them), made plainer where it pays.
    static func parserProblem(_ problem: String, noticed: ConfigPlace, context: String, opened: ConfigPlace)
        -> YAMLError
    {
        // A list or mapping in brackets is worth more by where it starts: the end is noticed anywhere below.
        if context.contains("flow node") {
            return YAMLError(
                "a list in [ ] or a mapping in { } is not closed before this, or lacks an entry; an unquoted # starts a "
                    + "comment, so quote a name that starts with #",
                at: opened)
        }
        if context.contains("flow") {
            let kind = context.contains("sequence") ? "list in [ ]" : "mapping in { }"
            return YAMLError(
                "this \(kind) is not closed, or a comma is missing (noticed on line \(noticed.line)); an unquoted # "
                    + "starts a comment, so quote a name that starts with #",
                at: opened)
        }
        return YAMLError(plainer[problem] ?? problem, at: noticed)
    }

    static func readerProblem(_ problem: String, at place: ConfigPlace) -> YAMLError {
        let isControl = problem == "control characters are not allowed"
        return YAMLError(isControl ? "a control character" : "bytes that are not UTF-8", at: place)
    }

    private static let plainer = [
        "found character that cannot start any token":
            "a value can't start with this character unless it is quoted (and only spaces can indent, not tabs)",
        "mapping values are not allowed in this context":
            "a second ': ' on one line, or wrong indentation; a value with ': ' in it must be quoted",
        "could not find expected ':'": "a key without its ':', or wrong indentation",
        "did not find expected key": "wrong indentation, or a quote that ends too early",
        "did not find expected '-' indicator": "wrong indentation, or an entry of the list without its '- '",
        "found unexpected end of stream": "the file ends inside a quoted text",
    ]
}
