/// What came of trying a server, a login or a room, for the operator.
public struct Finding: Equatable, Sendable {
    public let isGood: Bool
    /// Without secrets.
    public let text: String

    public init(isGood: Bool, _ text: String) {
        self.isGood = isGood
        self.text = text
    }
}
