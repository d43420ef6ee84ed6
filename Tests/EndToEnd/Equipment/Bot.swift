import Foundation
import TestSupport

/// gifbot as a process, with its folder.
struct Bot: Sendable {
    let program: Program
    let folder: TemporaryFolder

    /// Stops as an operator would, and gives the exit code.
    @discardableResult
    func stop() async throws -> Int32 {
        program.signal(SIGTERM)
        return try await program.end()
    }

    func rewrite(_ config: String) throws { try folder.write(config, to: "bot.yaml") }

    /// Waits until the log has such a line after `mark` lines.
    func logs(_ what: String, from mark: Int = 0, within limit: Duration = .seconds(20), _ isIt: (String) -> Bool)
        async throws
    {
        try await eventually(what, within: limit) { program.errors.lines.dropFirst(mark).contains(where: isIt) }
    }
}

/// Runs the program with a config while `body` runs, then stops it. What it said is part of any failure.
func withBot(
    _ config: String, _ arguments: [String] = ["run"], in folder: TemporaryFolder? = nil,
    _ body: (Bot) async throws -> Void
) async throws {
    let folder = try folder ?? TemporaryFolder()
    try folder.write(config, to: "bot.yaml")
    let program = try Program(
        Places.gifbot(), arguments + ["--config", folder.path + "/bot.yaml"], in: folder.path)
    defer { program.signal(SIGKILL) }
    do {
        try await body(Bot(program: program, folder: folder))
    } catch {
        throw Trouble("\(error)\n\(program.tail)")
    }
    guard program.isRunning else { return }
    program.signal(SIGTERM)
    try await program.end()
}

/// Runs the program to its end.
func gifbot(_ arguments: [String], input: [String] = [], in folder: TemporaryFolder? = nil) async throws -> (
    code: Int32, output: [String], errors: [String]
) {
    let folder = try folder ?? TemporaryFolder()
    let program = try Program(Places.gifbot(), arguments, in: folder.path)
    defer { program.signal(SIGKILL) }
    for line in input { program.type(line) }
    program.closeInput()
    let code = try await program.end(within: .seconds(60))
    return (code, program.output.lines, program.errors.lines)
}

/// The parts of a bot.yaml that many tests share.
enum Config {
    static let noLimits = "{user: off, channel: off, user_in_channel: off, network: off, global: off}"

    static func giphy(_ giphy: FakeGiphy, key: String = FakeGiphy.key) -> String {
        """
        search:
          providers: [giphy]
          giphy: {key: "\(key)", base_url: "\(giphy.url)", budget: off}
        log: {level: debug}
        """
    }

    static func irc(
        _ server: InspIRCd, nick: String, channels: [String], authority: String? = nil, more: [String] = []
    ) -> String {
        ([
            "  - name: lab", "    host: localhost", "    port: \(server.tlsPort)",
            "    tls: {ca_file: \"\(authority ?? server.certificateAuthority)\"}", "    nick: \(nick)",
            "    sasl: {mechanism: plain, username: \(server.account), password: \"\(server.password)\"}",
            "    flood_control: off",
            "    channels: [\(channels.map { "\"\($0)\"" }.joined(separator: ", "))]",
        ] + more.map { "    " + $0 }).joined(separator: "\n")
    }

    static func head(admins: [String] = [], limits: String = noLimits) -> String {
        """
        bot: {state: ./state, admins: [\(admins.map { "\"\($0)\"" }.joined(separator: ", "))]}
        defaults: {limits: \(limits)}
        """
    }
}
