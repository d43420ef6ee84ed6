import Base
import Glibc
public import HTTP
public import Net
import Synchronization

/// HTTP and connecting, by libcurl on a thread of its own that starts with the first use.
///
/// Asks only `https:`, and `http:` on this machine; checks certificates; keeps connections for the next request. The
/// environment's proxies and libcurl's own settings files are not looked at.
public final class CurlClient: HTTPClient, Sendable {
    private enum State {
        case idle
        case running(pthread_t)
        case stopped
    }

    private let userAgent: String
    private let caFile: String?
    private let mailbox = Mailbox()
    private let state = Mutex(State.idle)
    private let made = Atomic<UInt64>(0)

    public convenience init(userAgent: String) {
        self.init(userAgent: userAgent, caFile: nil)
    }

    /// For tests: a PEM file of the authorities to trust instead of the system's.
    package init(userAgent: String, caFile: String?) {
        self.userAgent = userAgent
        self.caFile = caFile
    }

    deinit {
        stop()
    }

    /// Starts the thread ahead of the first use, so that libcurl gets ready while the caller does something else.
    public func start() {
        _ = startIfNeeded()
    }

    /// Cancels all that is under way and waits for the thread's end. Later calls fail with `overloaded`.
    public func stop() {
        mailbox.stop()
        let thread: pthread_t? = state.withLock { state in
            defer { state = .stopped }
            if case .running(let thread) = state { return thread }
            return nil
        }
        guard let thread else { return }
        // The last owner may have gone away in a `decode`: a thread can't wait for itself.
        if thread == pthread_self() {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    public func send<Output: Sendable>(
        _ request: HTTPRequest, decode: @escaping @Sendable (HTTPResponse) -> Output
    ) async throws(HTTPError) -> Output {
        let id = nextID()
        let result: Result<Output, HTTPError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let finish: @Sendable (Result<HTTPResponse, HTTPError>) -> Void = { result in
                    continuation.resume(returning: result.map(decode))
                }
                if Task.isCancelled {
                    finish(.failure(.cancelled))
                } else if !post(.send(id, request, finish: finish)) {
                    finish(.failure(.overloaded))
                }
            }
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }

    private func nextID() -> UInt64 {
        made.add(1, ordering: .relaxed).newValue
    }

    private func cancel(_ id: UInt64) {
        _ = mailbox.post(.cancel(id))
    }

    private func post(_ message: Message) -> Bool {
        guard startIfNeeded(), mailbox.post(message) else { return false }
        // A cancellation that came before the message would have found nothing to cancel.
        if Task.isCancelled {
            switch message {
            case .send(let id, _, _), .dial(let id, _, _), .cancel(let id): cancel(id)
            }
        }
        return true
    }

    /// False when stopped, or when there can be no thread.
    private func startIfNeeded() -> Bool {
        state.withLock { state in
            switch state {
            case .running: return true
            case .stopped: return false
            case .idle:
                guard let thread = startThread() else { return false }
                state = .running(thread)
                return true
            }
        }
    }

    private func startThread() -> pthread_t? {
        let start = ThreadStart(mailbox: mailbox, userAgent: userAgent, caFile: caFile)
        let argument = Unmanaged.passRetained(start)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                let start = Unmanaged<ThreadStart>.fromOpaque(argument!).takeRetainedValue()
                var all = sigset_t()
                sigfillset(&all)
                // Signals are the loop's business, and never this thread's or its look-up threads'.
                pthread_sigmask(SIG_BLOCK, &all, nil)
                Worker(mailbox: start.mailbox, userAgent: start.userAgent, caFile: start.caFile).run()
                return nil
            }, argument.toOpaque())
        guard result == 0 else {
            argument.release()
            return nil
        }
        return thread
    }

    /// What the thread begins with; not the client, which would then never end.
    private final class ThreadStart: Sendable {
        let mailbox: Mailbox
        let userAgent: String
        let caFile: String?

        init(mailbox: Mailbox, userAgent: String, caFile: String?) {
            self.mailbox = mailbox
            self.userAgent = userAgent
            self.caFile = caFile
        }
    }
}

extension CurlClient: Dialler {
    @Loop public func dial(_ target: DialTarget) async throws(DialError) -> Int32 {
        let id = nextID()
        let result: Result<Int32, DialError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let finish: @Sendable (Result<Int32, DialError>) -> Void = { continuation.resume(returning: $0) }
                if Task.isCancelled {
                    finish(.failure(.cancelled))
                } else if !post(.dial(id, target, finish: finish)) {
                    finish(.failure(.overloaded))
                }
            }
        } onCancel: {
            cancel(id)
        }
        return try result.get()
    }
}
