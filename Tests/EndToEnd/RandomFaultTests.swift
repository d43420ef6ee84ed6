import Foundation
import Testing

extension EndToEnd {
    /// Many searches over a source that fails in every way, through a real socket.
    @Suite struct RandomFaults {
        private static let commands = 200
        /// kB. The program has 32 MiB for bodies under way.
        private static let mostMemory = 120_000

        @Test func `hundreds of commands end, in bounded memory, without the key`() async throws {
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            try await giphy.failMixed(seed: 7)
            let folder = try Scratch()
            try folder.write(Config.head() + "\n" + Config.giphy(giphy), to: "bot.yaml")
            let program = try Program(
                Places.gifbot(), ["chat", "--config", folder.path + "/bot.yaml"], in: folder.path)
            defer { program.signal(SIGKILL) }
            var peak = 0
            // The console takes one command after the other, so the slow ones add up until the source is left alone.
            for number in 0..<Self.commands {
                program.type("!gif words \(number)")
                peak = max(peak, Self.memory(of: program.pid))
            }
            program.closeInput()
            let ended = Task { try await program.end(within: .seconds(240)) }
            while Self.memory(of: program.pid) > 0 {
                peak = max(peak, Self.memory(of: program.pid))
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await ended.value == 0)
            #expect(peak > 0 && peak < Self.mostMemory, "\(peak) kB")
            let said = program.output.lines + program.errors.lines
            #expect(said.count { $0.contains("GIPHY") } > 0)
            #expect(!said.contains { $0.contains(FakeGiphy.key) })
            try await giphy.reset()
        }

        private static func memory(of pid: Int32) -> Int {
            let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
    }
}
