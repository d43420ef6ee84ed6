import Synchronization

/// Something that is costly to start: made by the first test that asks, then the same for the whole run.
final class Shared<Value: Sendable>: Sendable {
    private let start: @Sendable () async throws -> Value
    private let task = Mutex<Task<Value, any Error>?>(nil)

    init(_ start: @escaping @Sendable () async throws -> Value) { self.start = start }

    func get() async throws -> Value {
        let running = task.withLock { task in
            if let task { return task }
            let made = Task { [start] in try await start() }
            task = made
            return made
        }
        return try await running.value
    }
}
