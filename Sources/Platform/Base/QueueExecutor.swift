import Dispatch

/// A serial queue as an executor: blocking C calls (SQLite, PBKDF2) run here, so that neither the loop nor the Swift
/// pool ever waits for them.
public final class QueueExecutor: SerialExecutor, TaskExecutor {
    private let queue: DispatchQueue

    /// - Parameter yields: its work comes after everybody else's (a thread of low priority), for what nobody waits for as a rule.
    public init(label: String, yields: Bool = false) {
        queue = DispatchQueue(label: "gifbot." + label, qos: yields ? .background : .unspecified)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
