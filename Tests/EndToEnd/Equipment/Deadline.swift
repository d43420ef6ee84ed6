/// What went wrong, for the person who reads the test run.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Looks again until there is something to see, and fails with what it waited for once the time is up.
func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(15), _ look: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now.advanced(by: limit)
    while true {
        if let value = try await look() { return value }
        guard ContinuousClock.now < end else { throw Trouble("waited \(limit) for \(what)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}

func eventually(
    _ what: String, within limit: Duration = .seconds(15), _ isSo: () async throws -> Bool
) async throws {
    let _: Void = try await eventually(what, within: limit) { try await isSo() ? () : nil }
}
