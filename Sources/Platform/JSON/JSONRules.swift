/// How much a reader puts up with.
public struct JSONRules: Sendable, Equatable {
    public enum LoneSurrogate: Sendable, Equatable {
        case refused
        /// Read as U+FFFD. Servers that cut titles inside a pair send such things, and one bad title should not cost
        /// the whole page.
        case replaced
    }

    /// Of the whole body.
    public var maximumBytes: Int
    /// Arrays and objects inside each other; the reader is recursive, so this bounds its stack.
    public var maximumDepth: Int
    /// Characters of one number.
    public var maximumNumberLength: Int
    public var loneSurrogate: LoneSurrogate

    public init(
        maximumBytes: Int = 32 << 20, maximumDepth: Int = 128, maximumNumberLength: Int = 128,
        loneSurrogate: LoneSurrogate = .refused
    ) {
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumNumberLength = maximumNumberLength
        self.loneSurrogate = loneSurrogate
    }
}
