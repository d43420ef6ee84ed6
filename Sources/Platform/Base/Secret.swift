/// A password, key or token. It prints as stars, so that no string built around it can leak it.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The text itself; only what sends it to its server may read it.
    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    public var description: String { "***" }
    public var debugDescription: String { "***" }
}
