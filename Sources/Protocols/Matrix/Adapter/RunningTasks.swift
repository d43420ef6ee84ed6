import Base

/// Tasks under way by name, so that they can be cancelled. A task may be over before `start` returns; then nothing of it
/// stays behind.
@Loop final class RunningTasks<Name: Hashable & Sendable> {
    private var running: [Name: (number: UInt64, task: Task<Void, Never>?)] = [:]
    private var started: UInt64 = 0

    var count: Int { running.count }

    /// Of those under way the one that was started first.
    var oldest: Name? { running.min { $0.value.number < $1.value.number }?.key }

    func contains(_ name: Name) -> Bool { running[name] != nil }

    /// The work has to look whether it was cancelled after each wait; a cancelled one counts as gone at once.
    func start(_ name: Name, _ work: @escaping @Loop @Sendable () async -> Void) {
        cancel(name)
        started += 1
        let number = started
        running[name] = (number, nil)
        let task = Loop.start { [weak self] in
            await work()
            self?.ended(name, number)
        }
        if running[name]?.number == number { running[name]?.task = task }
    }

    func cancel(_ name: Name) {
        running.removeValue(forKey: name)?.task?.cancel()
    }

    func cancelAll() {
        for entry in running.values { entry.task?.cancel() }
        running = [:]
    }

    /// Nothing follows in the task that would have to be cancelled: takes it off the list before its end.
    func release(_ name: Name) {
        running[name] = nil
    }

    private func ended(_ name: Name, _ number: UInt64) {
        if running[name]?.number == number { running[name] = nil }
    }
}
