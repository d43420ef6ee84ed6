import Foundation

/// A server that one of the scripts in Tests/Servers runs. It stops when this process ends, however it ends:
/// the script notices by its closed input.
final class ServerScript: Sendable {
    let values: [String: String]
    /// Where a kept server has its files; empty for the others.
    let folder: String
    private let name: String
    private let keeper: Program

    private init(_ name: String, in folder: String, keeper: Program, values: [String: String]) {
        self.name = name
        self.folder = folder
        self.keeper = keeper
        self.values = values
    }

    /// A script that runs in the foreground.
    static func foreground(_ script: String, _ options: [String] = []) async throws -> ServerScript {
        try await start(script, in: "", [script] + options)
    }

    /// A script with `start DIR` and `stop DIR`.
    static func kept(_ script: String, _ options: [String] = []) async throws -> ServerScript {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gifbot-lab-\(UUID().uuidString)").path
        return try await start(script, in: folder, ["keep.py", script, folder] + options)
    }

    private static func start(_ name: String, in folder: String, _ words: [String]) async throws -> ServerScript {
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
        return ServerScript(name, in: folder, keeper: keeper, values: Dictionary(pairs) { $1 })
    }

    var standardOutput: String { keeper.output.text }

    subscript(name: String) -> String { values[name] ?? "" }

    func number(_ name: String) -> Int { Int(self[name]) ?? 0 }

    /// Asks the script for another of its verbs, about the servers that it started.
    func tell(_ verb: String, _ more: [String] = []) async throws {
        let words = ["python3", "-B", Places.scripts.appending(path: name).path, verb, folder] + more
        let done = try Program(
            "/usr/bin/env", words, in: Places.checkout.path, environment: ["TEST_SERVERS": Places.servers.path])
        guard try await done.end(within: .seconds(60)) == 0 else { throw Trouble("\(words) failed\n\(done.tail)") }
    }

    func stop() async throws {
        keeper.closeInput()
        try await keeper.end()
    }
}
