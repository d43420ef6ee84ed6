public import Base

/// One network or account.
@Loop public protocol ChatAdapter: AnyObject {
    /// The name in the config.
    var network: String { get }

    /// Bytes of UTF-8 that a reply's text may have, so that others receive it whole.
    func textBudget(for message: ChatMessage) -> Int

    /// Whether `Reply.media` is of any use here.
    var showsMedia: Bool { get }

    /// Says something in answer to a message. Never waits: the adapter queues, paces and retries by itself.
    func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome

    /// Puts `reply` in the place of the answer that was given under its id. Refused where the protocol can't, or when that answer
    /// is no longer known.
    func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome

    /// Takes an answer back that was given in the conversation of `message`; one that still waits to be sent is dropped. Refused
    /// where the protocol can't, or when that answer is no longer known.
    func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome

    /// The handler works on an answer to `message` from now on; `finished` follows when it has sent all it will.
    func began(_ message: ChatMessage)
    func finished(_ message: ChatMessage)

    /// The channel or room of this name as its messages have it; nil when the bot neither is there nor is to be.
    func conversation(named name: String) -> Conversation?

    /// Connects, and stays connected until `stop`.
    func start()

    /// Takes no new message, finishes what is queued until `deadline`, says goodbye, closes.
    func stop(by deadline: Instant) async
}

extension ChatAdapter {
    public var showsMedia: Bool { false }

    public func conversation(named name: String) -> Conversation? {
        Conversation(network: network, name: name, isDirect: false)
    }
}

/// Who gets the messages of every adapter.
@Loop public protocol ChatHandler: AnyObject {
    /// Called on the loop from the read callback; returns at once, and never waits for an answer in the making.
    func received(_ message: ChatMessage, from adapter: any ChatAdapter)

    /// Called like `received`, for what became of an earlier message. Unknown answers are the handler's to ignore.
    func changed(_ change: ChatChange, from adapter: any ChatAdapter)
}
