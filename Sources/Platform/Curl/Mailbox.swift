import CCurl
import HTTP
import Net
import Synchronization

/// What other threads want of curl's thread.
enum Message: Sendable {
    case send(UInt64, HTTPRequest, finish: @Sendable (Result<HTTPResponse, HTTPError>) -> Void)
    case dial(UInt64, DialTarget, finish: @Sendable (Result<Int32, DialError>) -> Void)
    case cancel(UInt64)
}

/// The only thing that curl's thread shares with others.
final class Mailbox: Sendable {
    private struct State {
        var messages: [Message] = []
        var stops = false
        /// Curl's thread is in, or about to enter, a wait.
        var isAsleep = false

        /// Whether it has to be woken; one call does.
        mutating func takeSleep() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }
    }

    /// libcurl's handle; `curl_multi_wakeup` is its one function that other threads may call.
    private struct Multi: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let state = Mutex(State())
    /// With a lock of its own, so that the one who is woken doesn't find the door shut.
    private let multi = Mutex<Multi?>(nil)

    /// False when the client has stopped.
    func post(_ message: Message) -> Bool {
        let isAsleep: Bool? = state.withLock { state in
            guard !state.stops else { return nil }
            state.messages.append(message)
            return state.takeSleep()
        }
        if isAsleep == true { wake() }
        return isAsleep != nil
    }

    func stop() {
        let isAsleep = state.withLock { state in
            state.stops = true
            return state.takeSleep()
        }
        if isAsleep { wake() }
    }

    private func wake() {
        multi.withLock { multi in
            if let multi { curl_multi_wakeup(multi.pointer) }
        }
    }

    // MARK: For curl's thread

    /// Says what to wake; nil before the handle is freed.
    func attach(_ multi: UnsafeMutableRawPointer?) {
        let handle = multi.map { Multi(pointer: $0) }
        self.multi.withLock { $0 = handle }
    }

    func take() -> (messages: [Message], stops: Bool) {
        state.withLock { state in
            state.isAsleep = false
            defer { state.messages.removeAll() }
            return (state.messages, state.stops)
        }
    }

    /// True if there is nothing to do: from now on a message wakes.
    func goesToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.messages.isEmpty && !state.stops
            return state.isAsleep
        }
    }
}
