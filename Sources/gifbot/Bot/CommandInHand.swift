import Base
import Chat
import RateLimiter

/// One command while it is worked on. Tells the adapter when that begins and when all is said: whoever works on it holds it
/// meanwhile, the first hold is the beginning, the last release the end.
@Loop final class CommandInHand {
    private let message: ChatMessage
    private let adapter: any ChatAdapter
    private var holds = 0
    /// What it was charged.
    var receipt: Receipt?
    /// Nobody waits for its answer any more: whatever comes of it isn't said.
    var isWithdrawn = false

    /// The book of answers has it while it waits.
    var isInBook = false

    init(_ message: ChatMessage, from adapter: any ChatAdapter) {
        self.message = message
        self.adapter = adapter
    }

    var isOver: Bool { holds == 0 }

    func hold() {
        holds += 1
        if holds == 1 { adapter.began(message) }
    }

    func release() {
        holds -= 1
        if holds == 0 { adapter.finished(message) }
    }
}
