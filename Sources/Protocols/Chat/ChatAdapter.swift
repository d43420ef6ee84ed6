public import Base

/// One network or account.
@Loop public protocol ChatAdapter: AnyObject {
    /// The name in the config.
    var network: String { get }

    /// Bytes of UTF-8 that a reply's text may have, so that others receive it whole.
    func textBudget(for message: ChatMessage) -> Int

    /// Says something in answer to a message. Never waits: the adapter queues, paces and retries by itself.
    func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome

    /// Connects, and stays connected until `stop`.
    func start()

    /// Takes no new message, finishes what is queued until `deadline`, says goodbye, closes.
    func stop(by deadline: Instant) async
}

/// Who gets the messages of every adapter.
@Loop public protocol ChatHandler: AnyObject {
    /// Called on the loop from the read callback; returns at once, and never waits for an answer in the making.
    func received(_ message: ChatMessage, from adapter: any ChatAdapter)
}
