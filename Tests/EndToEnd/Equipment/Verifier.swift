import Foundation
import TestSupport

/// A person who verifies others (Tests/Servers/verifier.py lists the steps), with another implementation of the arithmetic.
final class Verifier: Sendable {
    let id: String
    let device: String
    private let program: Program
    /// Those not waited for yet among the answers.
    private let seen = Counter()

    private final class Counter: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var value = 1
        func next() -> Int {
            lock.withLock {
                value += 1
                return value - 1
            }
        }
    }

    /// With `encrypts` it speaks in encrypted rooms, and has no cross-signing.
    init(_ local: String, on server: Synapse, in folder: TemporaryFolder, encrypts: Bool = false) async throws {
        _ = try Places.require("peer/bin/python")
        _ = try await server.user(local)
        let program = try Program(
            Places.servers.appending(path: "peer/bin/python").path,
            [
                "-B", Places.scripts.appending(path: "verifier.py").path, "--url", server.url, "--user", local,
                "--password", local,
            ] + (encrypts ? ["--store", folder.path] : []), in: folder.path, endsWithInput: true)
        self.program = program
        let first = try await Self.line(0, of: program)
        guard let id = first["user"].text, let device = first["device"].text else {
            throw Trouble("\(local) can't log in\n\(program.tail)")
        }
        self.id = id
        self.device = device
    }

    /// Begins a step; `answer` waits for what comes of it.
    func begin(_ step: String, _ fields: [String: Any] = [:]) throws {
        let step = ["do": step].merging(fields) { $1 }
        program.type(String(decoding: try JSONSerialization.data(withJSONObject: step), as: UTF8.self))
    }

    func answer() async throws -> JSON { try await Self.line(seen.next(), of: program) }

    private static func line(_ number: Int, of program: Program) async throws -> JSON {
        let line = try await eventually("an answer of the verifier\n\(program.tail)", within: .seconds(90)) {
            program.output.lines.count > number ? program.output.lines[number] : nil
        }
        return JSON(try JSONSerialization.jsonObject(with: Data(line.utf8)))
    }
}
