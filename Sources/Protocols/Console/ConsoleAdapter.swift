public import Base
public import Chat

/// A console as a chat room with one person in it: lines go in, what the bot says comes out as text.
///
/// Reading the lines is the caller's business. An answer is out before `send` returns, so nothing is ever queued here;
/// commands that still wait for a source are the handler's to count.
@Loop public final class ConsoleAdapter: ChatAdapter {
    public let network: String
    private let conversation: Conversation
    private let sender: Sender
    private let output: @Loop (String) -> Void
    private let handler: any ChatHandler
    private var isOpen = true

    /// Bytes; what an IRC channel with an ordinary host leaves, so that an answer looks as it would there.
    private static let lineBudget = 400

    /// `channel` as the config spells it; `output` gets one line at a time, without its line end.
    public init(
        network: String, channel: String, user: String, isAdmin: Bool, handler: any ChatHandler,
        output: @escaping @Loop (String) -> Void
    ) {
        self.network = network
        self.handler = handler
        self.output = output
        conversation = Conversation(network: network, name: channel, isDirect: false)
        sender = Sender(key: user, name: user, isAdmin: isAdmin, isOperator: isAdmin)
    }

    /// One line as typed, without its line end. Like a channel, the console answers nothing but commands.
    public func received(line: String) {
        guard isOpen else { return }
        let (text, isAddressed) = ConsoleLine.withoutAddress(line)
        handler.received(
            ChatMessage(
                id: nil, conversation: conversation, sender: sender, text: text, isAddressed: isAddressed, age: .zero,
                address: ""),
            from: self)
    }

    public func textBudget(for message: ChatMessage) -> Int { Self.lineBudget }
    public func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        .refused("nothing can be changed here")
    }

    public func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        .refused("nothing can be taken back here")
    }

    public func began(_ message: ChatMessage) {}
    public func finished(_ message: ChatMessage) {}

    public func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard isOpen else { return .refused("the console is closed") }
        output(ConsoleLine.text(of: reply))
        return .accepted
    }

    public func start() {}

    public func stop(by deadline: Instant) async {
        isOpen = false
    }
}
