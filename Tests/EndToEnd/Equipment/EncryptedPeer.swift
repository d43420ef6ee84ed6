import Foundation
import TestSupport

/// A person on Matrix whose client encrypts, with another implementation of the cryptography than the bot's
/// (Tests/Servers/peer.py lists the steps).
final class EncryptedPeer: Sendable {
    let id: String
    private let program: Program

    /// The store is the device: the same one again is the same device. `names` are at hand in all steps as `${name}`.
    init(_ local: String, on server: Synapse, store: TemporaryFolder, names: [String: String] = [:]) async throws {
        _ = try Places.require("peer/bin/python")
        id = try await server.user(local)
        program = try Program(
            Places.servers.appending(path: "peer/bin/python").path,
            [
                "-B", Places.scripts.appending(path: "peer.py").path, "--url", server.url, "--user", local,
                "--password",
                local, "--store", store.path,
            ] + names.flatMap { ["--set", "\($0.key)=\($0.value)"] },
            in: store.path, endsWithInput: true)
        let login = try await answer(0, to: "login", within: .seconds(60))
        guard login["ok"].flag else { throw Trouble("\(local) can't log in\n\(program.tail)") }
    }

    /// Steps are taken one after the other, so they must be asked for one after the other.
    @discardableResult
    func take(_ step: String, _ fields: [String: Any] = [:], within limit: Duration = .seconds(60)) async throws -> JSON
    {
        // So that one that fails ends this test and not the peer.
        let step = ["do": step, "may_fail": true].merging(fields) { $1 }
        let count = program.output.count
        program.type(String(decoding: try JSONSerialization.data(withJSONObject: step), as: UTF8.self))
        let answer = try await answer(count, to: "\(step)", within: limit)
        guard answer["ok"].flag else { throw Trouble("\(id): \(step) came to \(program.output.lines[count])") }
        return answer
    }

    /// The steps of a script of Tests/Servers/peer.
    func follow(_ script: String) async throws {
        let lines = try String(contentsOf: Places.scripts.appending(path: "peer/\(script)"), encoding: .utf8)
        for line in lines.split(separator: "\n") where !line.hasPrefix("#") {
            guard let step = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let name = step["do"] as? String
            else { throw Trouble("no step: \(line)") }
            try await take(name, step)
        }
    }

    /// What somebody says next, after what we said last.
    func hear(_ from: String, _ more: [String: Any] = [:]) async throws -> Heard {
        Heard(try await take("wait", ["from": from, "seconds": 30].merging(more) { $1 }))
    }

    /// The device ends as a window that is closed.
    func leave() async throws {
        program.closeInput()
        try await program.end()
    }

    private func answer(_ index: Int, to what: String, within limit: Duration) async throws -> JSON {
        let line = try await eventually("the peer's answer to \(what)\n\(program.tail)", within: limit) {
            let lines = program.output.lines
            if lines.count > index { return lines[index] }
            if !program.isRunning { throw Trouble("the peer \(id) has ended\n\(program.tail)") }
            return nil
        }
        return JSON(try JSONSerialization.jsonObject(with: Data(line.utf8)))
    }

    /// An event as it came to the peer.
    struct Heard: Sendable {
        let json: JSON

        init(_ json: JSON) { self.json = json }

        var id: String { json["event_id"].text ?? "" }
        var content: JSON { json["event", "content"] }
        var isDecrypted: Bool { json["decrypted"].flag }
        /// What the specification says is wrong with it.
        var problems: [String] { json["problems"].list.compactMap(\.text) }
        var session: String { json["session_id"].text ?? "" }
    }
}

extension JSON {
    var flag: Bool { (value as? NSNumber)?.boolValue ?? false }
}
