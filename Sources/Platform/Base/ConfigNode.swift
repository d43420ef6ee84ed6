/// A place in the config file, both counted from 1.
public struct ConfigPlace: Hashable, Comparable, Sendable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (a: ConfigPlace, b: ConfigPlace) -> Bool {
        (a.line, a.column) < (b.line, b.column)
    }
}

/// A value of the config file with its place, before anybody has said what it should be.
public struct ConfigNode: Sendable {
    public enum Value: Sendable {
        /// The exact characters; `isPlain` is false for a quoted or block scalar.
        case scalar(String, isPlain: Bool)
        case list([ConfigNode])
        case map([(key: ConfigKey, value: ConfigNode)])
        /// Nothing, or a plain `~`: written where a value was expected.
        case empty
    }

    public struct ConfigKey: Sendable {
        public let name: String
        public let place: ConfigPlace

        public init(name: String, place: ConfigPlace) {
            self.name = name
            self.place = place
        }
    }

    public let value: Value
    public let place: ConfigPlace
    /// Set where the line goes on with an unquoted ` #`: a value with a `#` in it was perhaps cut short.
    public let isFollowedByComment: Bool

    public init(_ value: Value, at place: ConfigPlace, isFollowedByComment: Bool = false) {
        self.value = value
        self.place = place
        self.isFollowedByComment = isFollowedByComment
    }
}

/// One thing wrong (or doubtful) in the config file. The text never holds the value of a secret.
public struct ConfigFault: Error, Equatable, Sendable {
    public let place: ConfigPlace?
    /// Dotted path of the key, such as `irc[1].tls.ca_file`.
    public let path: String
    public let message: String
    /// Of a key that no decoder knows: nobody knows what its value is either, so it may be a secret.
    public let isUnknownKey: Bool

    public init(place: ConfigPlace?, path: String, message: String, isUnknownKey: Bool = false) {
        self.place = place
        self.path = path
        self.message = message
        self.isUnknownKey = isUnknownKey
    }
}
