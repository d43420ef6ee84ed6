import Foundation

/// A server that one of the scripts in Tests/Servers runs. It stops when this process ends, however it ends:
/// the script notices by its closed input.
final class ServerScript: Sendable {
    let values: [String: String]
    private let keeper: Program

    private init(keeper: Program, values: [String: String]) {
        self.keeper = keeper
        self.values = values
    }

    /// A script that runs in the foreground.
    static func foreground(_ script: String, _ options: [String] = []) async throws -> ServerScript {
        try await start([script] + options)
    }

    /// A script with `start DIR` and `stop DIR`.
    static func kept(_ script: String, _ options: [String] = []) async throws -> ServerScript {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gifbot-lab-\(UUID().uuidString)").path
        return try await start(["keep.py", script, folder] + options)
    }

    private static func start(_ words: [String]) async throws -> ServerScript {
        let keeper = try Program(
            "/usr/bin/env", ["python3", "-B", Places.scripts.appending(path: words[0]).path] + words.dropFirst(),
            in: Places.checkout.path, environment: ["TEST_SERVERS": Places.servers.path], endsWithInput: true)
        try await eventually("\(words) to be ready\n\(keeper.tail)", within: .seconds(120)) {
            keeper.output.contains("READY") || !keeper.isRunning
        }
        guard keeper.output.contains("READY") else {
            try await keeper.end()
            throw Trouble("\(words) did not start\n\(keeper.tail)")
        }
        let pairs = keeper.output.lines.compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return ServerScript(keeper: keeper, values: Dictionary(pairs) { $1 })
    }

    var standardOutput: String { keeper.output.text }

    subscript(name: String) -> String { values[name] ?? "" }

    func number(_ name: String) -> Int { Int(self[name]) ?? 0 }

    func stop() async throws {
        keeper.closeInput()
        try await keeper.end()
    }
}
