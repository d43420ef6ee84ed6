import Base

/// Lets all who ask the same at once share one piece of work. A result is handed to everybody who waits, and not kept.
@Loop final class SingleFlight<Key: Hashable & Sendable, Value: Sendable> {
    @Loop private final class Flight {
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var task: Task<Void, Never>?
        var timer: TimerID?
    }

    private let clock: any LoopClock
    private var flights: [Key: Flight] = [:]
    private var made = 0
    /// Askers who wait, over all keys.
    private(set) var waiting = 0

    init(clock: any LoopClock) {
        self.clock = clock
    }

    func isUnderWay(_ key: Key) -> Bool { flights[key] != nil }

    /// Joins the work under way for the key, or starts it. Nil for an asker that was cancelled; the others go on, and when
    /// nobody waits any more the work is cancelled. At `deadline` everybody gets `late`, whatever the work is doing.
    func value(
        for key: Key, by deadline: Instant, late: Value, from work: @escaping @Loop @Sendable () async -> Value
    ) async -> Value? {
        let waiter = made
        made += 1
        waiting += 1
        defer { waiting -= 1 }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: nil)
                    return
                }
                join(key, as: waiter, continuation, by: deadline, late: late, from: work)
            }
        } onCancel: {
            Loop.post { self.leave(key, waiter) }
        }
    }

    private func join(
        _ key: Key, as waiter: Int, _ continuation: CheckedContinuation<Value?, Never>, by deadline: Instant,
        late: Value,
        from work: @escaping @Loop @Sendable () async -> Value
    ) {
        if let flight = flights[key] {
            flight.waiters[waiter] = continuation
            return
        }
        let flight = Flight()
        flights[key] = flight
        flight.waiters[waiter] = continuation
        flight.timer = clock.schedule(at: deadline) { [weak self, weak flight] in
            guard let self, let flight else { return }
            flight.timer = nil
            flight.task?.cancel()
            land(flight, key, late)
        }
        // It may be over before the call returns: everything is in place by now.
        flight.task = Loop.start { [weak self] in
            let value = await work()
            self?.land(flight, key, value)
        }
    }

    private func land(_ flight: Flight, _ key: Key, _ value: Value) {
        forget(flight, key)
        let waiters = flight.waiters.values
        flight.waiters = [:]
        for waiter in waiters { waiter.resume(returning: value) }
    }

    private func leave(_ key: Key, _ waiter: Int) {
        guard let flight = flights[key], let continuation = flight.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(returning: nil)
        guard flight.waiters.isEmpty else { return }
        flight.task?.cancel()
        forget(flight, key)
    }

    private func forget(_ flight: Flight, _ key: Key) {
        if let timer = flight.timer { clock.cancel(timer) }
        flight.timer = nil
        // Another one may have started under the same key since.
        if flights[key] === flight { flights[key] = nil }
    }
}
