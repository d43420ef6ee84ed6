public import Base
public import Chat

/// A console as a chat room with one person in it: lines go in, what the bot says comes out as text.
///
/// Reading the lines is the caller's business. An answer is out before `send` returns; commands that still wait for a source are
/// the handler's to count, and lines behind one wait here.
@Loop public final class ConsoleAdapter: ChatAdapter {
    public let network: String
    private let conversation: Conversation
    private let sender: Sender
    private let output: @Loop (String) -> Void
    private let handler: any ChatHandler
    private var isOpen = true
    /// What stands on the screen and may be changed or taken back; beyond 100 the oldest stay as they are.
    private var answers: [(id: AnswerID, text: String)] = []
    private static let mostAnswers = 100
    /// Lines that wait for the command before them, so that a script can page through what it has just searched for. Beyond
    /// 10,000 a line is handed on at once.
    private var waiting: [String] = []
    private static let mostWaiting = 10_000
    private var inHand = 0
    private var isHandingOn = false

    /// Bytes; what an IRC channel with an ordinary host leaves, so that an answer looks as it would there.
    private static let lineBudget = 400

    /// Whoever sits at the console is the operator of its channel. `channel` as the config spells it; `output` gets one line at a
    /// time, without its line end.
    public init(
        network: String, channel: String, user: String, isAdmin: Bool, handler: any ChatHandler,
        output: @escaping @Loop (String) -> Void
    ) {
        self.network = network
        self.handler = handler
        self.output = output
        conversation = Conversation(network: network, name: channel, isDirect: false)
        sender = Sender(identity: .userID(user), name: user, isAdmin: isAdmin, isOperator: true)
    }

    /// One line as typed, without its line end. Like a channel, the console answers nothing but commands.
    public func received(line: String) {
        guard isOpen else { return }
        guard inHand > 0 || isHandingOn, waiting.count < Self.mostWaiting else { return handOn(line) }
        waiting.append(line)
    }

    private func handOn(_ line: String) {
        let (text, isAddressed) = ConsoleLine.withoutAddress(line)
        handler.received(
            ChatMessage(
                id: nil, conversation: conversation, sender: sender, text: text, isAddressed: isAddressed, age: .zero,
                address: ""),
            from: self)
    }

    public func textBudget(for message: ChatMessage) -> Int { Self.lineBudget }

    /// A screen can't take a line back, so it is said what became of it.
    public func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard isOpen else { return .refused("the console is closed") }
        guard let id = reply.id, let place = answers.firstIndex(where: { $0.id == id }) else { return .unknownAnswer }
        answers[place].text = reply.text
        output(ConsoleLine.text(of: reply, note: "changed"))
        return .accepted
    }

    public func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        guard isOpen else { return .refused("the console is closed") }
        guard let place = answers.firstIndex(where: { $0.id == answer }) else { return .unknownAnswer }
        let text = answers.remove(at: place).text
        output(
            ConsoleLine.text(
                of: Reply(kind: .notice, audience: .conversation, text: text, url: nil), note: "taken back"))
        return .accepted
    }

    public func began(_ message: ChatMessage) {
        inHand += 1
    }

    public func finished(_ message: ChatMessage) {
        inHand -= 1
        // A command that is answered at once finishes inside of this loop.
        guard !isHandingOn else { return }
        isHandingOn = true
        var next = 0
        while isOpen, inHand == 0, next < waiting.count {
            handOn(waiting[next])
            next += 1
        }
        waiting.removeFirst(next)
        isHandingOn = false
    }

    public func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        guard isOpen else { return .refused("the console is closed") }
        if let id = reply.id {
            if answers.count >= Self.mostAnswers { answers.removeFirst() }
            answers.append((id, reply.text))
        }
        output(ConsoleLine.text(of: reply))
        return .accepted
    }

    public func start() {}

    public func stop(by deadline: Instant) async {
        isOpen = false
    }
}

extension SendOutcome {
    fileprivate static let unknownAnswer = SendOutcome.refused("no such answer is known any more")
}
