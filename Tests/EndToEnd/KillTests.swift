import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Power cuts: what is neither lost nor said twice when the process ends at any moment.
    @Suite struct KillTests {
        /// KILLS in the environment makes it the long run.
        private static var kills: Int { ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 10 }

        @Test("BUG-15: killed at random under load, every command is answered once")
        func killed() async throws {
            let stage = try await Matrix.Stage("killed")
            let folder = try TemporaryFolder()
            // Slow, so that most commands are killed in the middle of their search, and no two commands share one.
            try await stage.giphy.slow(between: 0.2...1)
            try folder.write(stage.config(), to: "bot.yaml")
            var program = try Self.start(folder)
            defer { program.signal(SIGKILL) }
            var rooms: [String] = []
            for _ in 0..<3 { rooms.append(try await stage.room()) }

            let seed = SeededChance.seed
            print("kills by chance: GIFBOT_SEED=\(seed)")
            var random = SeededChance(seed: seed)
            let load = Load(stage.peer, rooms, SeededChance(seed: seed &+ 1))
            let sending = Task { try await load.run() }
            for _ in 0..<Self.kills {
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...2500, using: &random)))
                program.signal(SIGKILL)
                #expect(try await program.end() == 128 + SIGKILL, "\(program.tail)")
                program = try Self.start(folder)
            }
            sending.cancel()
            _ = try? await sending.value

            let asked = await load.asked
            var answers: [String: Int] = [:]
            do {
                try await eventually("an answer to each of \(asked.count) commands", within: .seconds(90)) {
                    try await Task.sleep(for: .seconds(1))
                    answers = try await Self.answers(of: stage, in: rooms)
                    return asked.allSatisfy { answers[$0] != nil }
                }
            } catch {
                // What is missing is told below, with all the rest.
                print(error)
            }
            let lost = asked.filter { answers[$0] == nil }
            let twice = answers.filter { $0.value > 1 }
            let searches = try await stage.giphy.searches.count
            print(
                "kills \(Self.kills), commands \(asked.count), searches \(searches), lost \(lost.count), "
                    + "answered twice \(twice.count)")
            // Else none was killed in the middle of its search.
            #expect(searches > asked.count)
            #expect(!asked.isEmpty && lost.isEmpty && twice.isEmpty, "\(lost) \(twice)\n\(program.tail)")
            #expect(Set(answers.keys) == Set(asked))
            program.signal(SIGTERM)
            #expect(try await program.end() == 0)
        }

        /// How many answers each command got.
        private static func answers(of stage: Matrix.Stage, in rooms: [String]) async throws -> [String: Int] {
            var answers: [String: Int] = [:]
            for room in rooms {
                for answer in try await stage.peer.allMessages(in: room, of: stage.bot) {
                    answers[answer.content["m.relates_to", "m.in_reply_to", "event_id"].text ?? "?", default: 0] += 1
                }
            }
            return answers
        }

        private static func start(_ folder: TemporaryFolder) throws -> Program {
            try Program(Places.gifbot(), ["run", "--config", folder.path + "/bot.yaml"], in: folder.path)
        }
    }

    /// Somebody who asks without end, in one room after the other.
    private actor Load {
        private let peer: MatrixPeer
        private let rooms: [String]
        /// The ids of the commands.
        private(set) var asked: [String] = []
        private var random: SeededChance

        init(_ peer: MatrixPeer, _ rooms: [String], _ random: SeededChance) {
            self.random = random
            self.peer = peer
            self.rooms = rooms
        }

        func run() async throws {
            while !Task.isCancelled {
                // Not part of the task that is cancelled: each one sent is counted.
                let (peer, room) = (peer, rooms[asked.count % rooms.count])
                let words = "!gif party \(asked.count)"
                asked.append(try await Task { try await peer.send(words, to: room) }.value)
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...400, using: &random)))
            }
        }
    }
}
