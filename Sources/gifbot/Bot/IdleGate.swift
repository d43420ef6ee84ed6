import Base

/// Resumes its one waiter once: when it is opened or at the deadline.
@Loop final class IdleGate {
    private let clock: any LoopClock
    private var waiter: CheckedContinuation<Void, Never>?
    private var timer: TimerID?

    init(clock: any LoopClock) {
        self.clock = clock
    }

    func wait(by deadline: Instant?) async {
        await withCheckedContinuation { continuation in
            waiter = continuation
            guard let deadline else { return }
            timer = clock.schedule(at: deadline) { [weak self] in self?.open() }
        }
    }

    func open() {
        if let timer { clock.cancel(timer) }
        timer = nil
        waiter?.resume()
        waiter = nil
    }
}
