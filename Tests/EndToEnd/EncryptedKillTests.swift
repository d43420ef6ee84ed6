import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Power cuts in encrypted rooms: keys that went out are there again, and what was sent can be read.
    @Suite struct EncryptedKills {
        /// KILLS in the environment makes it the long run.
        private static var kills: Int { ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 8 }
        /// Kills of one account, half of them at its first starts, while keys are made and uploaded.
        private static let killsOfAccount = 4

        @Test("BUG-15: killed while keys are uploaded, sessions begin and answers go out, it reads and is read")
        func killed() async throws {
            var (asked, lost, twice, unreadable, clashes) = (0, 0, 0, 0, 0)
            for round in 1...max(1, Self.kills / Self.killsOfAccount) {
                let stage = try await Encryption.Stage("crypt_kill\(round)")
                let folder = try TemporaryFolder()
                try folder.write(stage.config(), to: "bot.yaml")
                var logs: [String] = []
                var program = try Self.start(folder)
                defer { program.signal(SIGKILL) }
                func killAfter(_ milliseconds: ClosedRange<Int>) async throws {
                    try await Task.sleep(for: .milliseconds(Int.random(in: milliseconds)))
                    program.signal(SIGKILL)
                    try await program.end()
                    logs += program.errors.lines
                    program = try Self.start(folder)
                }
                try await killAfter(100...900)
                try await killAfter(100...1200)

                // Each answer begins a session of its own.
                let room = try await stage.room(["encrypted": true, "rotation_period_msgs": 1])
                // A position is on disk within a second; before there is one, a start takes what was said for old.
                try await Task.sleep(for: .milliseconds(1500))
                var commands: [String] = []
                for _ in 0..<2 {
                    for _ in 0..<3 {
                        commands.append(
                            try await stage.peer.take("send", ["text": "!gif party"])["event_id"].text ?? "")
                    }
                    try await killAfter(20...700)
                }
                var answers: [JSON] = []
                do {
                    try await eventually("an answer to each of \(commands.count) commands", within: .seconds(60)) {
                        try await Task.sleep(for: .milliseconds(300))
                        let seen = try await stage.peer.take("seen", ["room": room, "from": stage.bot])["events"].list
                        answers = seen.filter {
                            ["m.room.message", "m.room.encrypted"].contains($0["type"].text ?? "")
                        }
                        return commands.allSatisfy { id in answers.contains { $0["answers"].text == id } }
                    }
                } catch {
                    // What is missing is told below, with all the rest.
                    print("round \(round): \(error)\n\(program.tail)")
                }
                logs += program.errors.lines
                asked += commands.count
                let counts = commands.map { id in answers.filter { $0["answers"].text == id }.count }
                lost += counts.count { $0 == 0 }
                twice += counts.count { $0 > 1 }
                unreadable += answers.count { !$0["decrypted"].flag }
                clashes += logs.count { $0.contains("already exists") || $0.contains("not this device's") }
                program.signal(SIGTERM)
                #expect(try await program.end() == 0)
            }
            print(
                "kills \(Self.kills), commands \(asked), lost \(lost), answered twice \(twice), unreadable \(unreadable), "
                    + "keys refused \(clashes)")
            #expect(asked > 0 && lost == 0 && twice == 0 && unreadable == 0 && clashes == 0)
        }

        private static func start(_ folder: TemporaryFolder) throws -> Program {
            try Program(Places.gifbot(), ["run", "--config", folder.path + "/bot.yaml"], in: folder.path)
        }
    }
}
