import Base
import Chat

/// Tells the adapter when work on a command begins and when all is said. Whoever works on the command holds it meanwhile: the
/// first hold is the beginning, the last release the end.
@Loop final class CommandInHand {
    private let message: ChatMessage
    private let adapter: any ChatAdapter
    private var holds = 0

    init(_ message: ChatMessage, from adapter: any ChatAdapter) {
        self.message = message
        self.adapter = adapter
    }

    func hold() {
        holds += 1
        if holds == 1 { adapter.began(message) }
    }

    func release() {
        holds -= 1
        if holds == 0 { adapter.finished(message) }
    }
}
