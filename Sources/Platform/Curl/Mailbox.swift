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
        var multi: Multi?
    }

    /// libcurl's handle; `curl_multi_wakeup` is its one function that other threads may call.
    private struct Multi: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let state = Mutex(State())

    /// False when the client has stopped.
    func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard !state.stops else { return false }
            state.messages.append(message)
            Self.wake(&state)
            return true
        }
    }

    func stop() {
        state.withLock { state in
            state.stops = true
            Self.wake(&state)
        }
    }

    private static func wake(_ state: inout State) {
        guard state.isAsleep, let multi = state.multi else { return }
        state.isAsleep = false
        curl_multi_wakeup(multi.pointer)
    }

    // MARK: For curl's thread

    /// Says what to wake; nil before the handle is freed.
    func attach(_ multi: UnsafeMutableRawPointer?) {
        let multi = multi.map { Multi(pointer: $0) }
        state.withLock { $0.multi = multi }
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
