/// Holds its one waiter until it is opened, until a deadline, or until the waiter's task is cancelled; resumes it once.
@Loop public final class Gate {
    private let clock: any LoopClock
    private var waiter: CheckedContinuation<Void, Never>?
    private var timer: TimerID?
    private var isOpen = false

    public init(clock: any LoopClock) {
        self.clock = clock
    }

    /// Returns at once when the gate is open already. Only one may wait.
    public func wait(by deadline: Instant?) async {
        precondition(waiter == nil, "somebody waits at this gate")
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isOpen || Task.isCancelled {
                    continuation.resume()
                    return
                }
                waiter = continuation
                guard let deadline else { return }
                timer = clock.schedule(at: deadline) { [weak self] in self?.open() }
            }
        } onCancel: {
            Loop.post { self.open() }
        }
    }

    /// A gate opens once and stays open.
    public func open() {
        isOpen = true
        if let timer { clock.cancel(timer) }
        timer = nil
        waiter?.resume()
        waiter = nil
    }
}
