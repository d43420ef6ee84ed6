import Dispatch
import Synchronization

/// Something that has happened, once and for all; tasks and threads can wait for it.
final class Signal: Sendable {
    private struct State {
        var isGiven = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let group = DispatchGroup()

    init() {
        group.enter()
    }

    func give() {
        let waiters: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            guard !state.isGiven else { return nil }
            state.isGiven = true
            defer { state.waiters = [] }
            return state.waiters
        }
        guard let waiters else { return }
        group.leave()
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isGiven = state.withLock { state in
                if !state.isGiven { state.waiters.append(continuation) }
                return state.isGiven
            }
            if isGiven { continuation.resume() }
        }
    }

    /// Gives up after a minute.
    func waitOnThread() { _ = group.wait(timeout: .now() + 60) }

    deinit {
        give()
    }
}
