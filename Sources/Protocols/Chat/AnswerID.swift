/// Names one answer of the bot on a network, for as long as it may be changed or taken back.
///
/// It is the id of the command that was answered where the protocol has ids, so that an adapter can tell it from an edit or a
/// redaction of the command; else a name that the bot makes up.
public struct AnswerID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}
