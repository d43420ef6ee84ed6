import Foundation

/// InspIRCd with atheme's services: SASL PLAIN for one account.
final class InspIRCd: Sendable {
    static let shared = Shared { try await InspIRCd() }

    let script: ServerScript

    init(_ options: [String] = []) async throws {
        _ = try Places.require("unpacked/usr/sbin/inspircd")
        script = try await .kept("inspircd.py", options)
    }

    var plainPort: Int { script.number("PORT") }
    var tlsPort: Int { script.number("TLS_PORT") }
    var certificateAuthority: String { script["CA"] }
    var account: String { script["ACCOUNT"] }
    var password: String { script["PASSWORD"] }
}

/// The scripted server (Tests/Servers/mock.py) for what a packaged one does not do.
final class MockIRC: Sendable {
    let script: ServerScript

    init(_ options: [String] = [], sts: Bool = false) async throws {
        script = try await .kept("mock.py", (sts ? [] : ["--no-sts"]) + options)
    }

    var plainPort: Int { script.number("PORT") }
    var tlsPort: Int { script.number("TLS_PORT") }
    var certificateAuthority: String { script["CA"] }

    /// Every line that came, as "CONNECTION LINE".
    var received: [String] {
        ((try? String(contentsOfFile: script["RECEIVED"], encoding: .utf8)) ?? "")
            .split(separator: "\n").map(String.init)
    }

    var connections: Int { received.filter { $0.contains(" (connected ") }.count }

    func tell(_ command: String) throws {
        let socket = try Socket(port: script.number("CONTROL_PORT"))
        socket.send(command)
        _ = socket.readAll()
    }
}

/// Synapse on loopback. Users get their name as password.
final class Synapse: Sendable {
    static let shared = Shared { try await Synapse() }

    let script: ServerScript
    let url: String
    let folder: String
    let name = "gifbot.test"

    init(_ options: [String] = []) async throws {
        let environment = try Places.require("venv")
        script = try await .kept("homeserver.py", ["--venv", environment.path] + options)
        let state = JSON(
            try? JSONSerialization.jsonObject(
                with: Data(script.standardOutput.replacing("READY", with: "").utf8)))
        guard let url = state["base_url"].text, let folder = state["data"].text else {
            throw Trouble("Synapse did not say where it is: \(script.standardOutput)")
        }
        self.url = url
        self.folder = folder
    }

    func restart() async throws {
        try await script.tell("stop")
        try await script.tell("start", ["--venv", try Places.require("venv").path])
    }

    /// Makes an account unless it is there; returns the Matrix id.
    func user(_ local: String, isAdmin: Bool = false) async throws -> String {
        let made = try Program(
            "/usr/bin/env",
            [
                "python3", "-B", Places.scripts.appending(path: "homeserver.py").path, "user", folder,
                "\(local):\(local)",
            ] + (isAdmin ? ["--admin"] : []),
            in: Places.checkout.path)
        guard try await made.end() == 0 else { throw Trouble("no account for \(local)\n\(made.tail)") }
        return "@\(local):\(name)"
    }
}
