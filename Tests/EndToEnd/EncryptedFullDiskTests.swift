import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct EncryptedFullDisk {
        /// A file system of three megabytes for the state folder; only root may make one.
        private static func mount(_ path: String) async throws -> Bool {
            let done = try Program(
                "/usr/bin/env", ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", path], in: "/tmp")
            return try await done.end() == 0
        }

        private static func fill(_ path: String) {
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            for size in [65_536, 1] {
                while (try? file.write(contentsOf: Data(repeating: 0, count: size))) != nil {}
            }
        }

        @Test(
            "A full disk: plain rooms go on, and what was said in encrypted ones is answered when there is room again")
        func fullDisk() async throws {
            let stage = try await Encryption.Stage("crypt_full")
            let folder = try TemporaryFolder()
            let state = folder.path + "/state"
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            guard try await Self.mount(state) else {
                print("not tried: no file system can be mounted here")
                return
            }
            do {
                try await Self.run(stage, folder, filler: state + "/filler")
            } catch {
                _ = try? await Program("/usr/bin/env", ["umount", "-l", state], in: "/tmp").end()
                throw error
            }
            let end = try Program("/usr/bin/env", ["umount", "-l", state], in: "/tmp")
            #expect(try await end.end() == 0)
        }

        private static func run(_ stage: Encryption.Stage, _ folder: TemporaryFolder, filler: String) async throws {
            try await withBot(stage.config(), in: folder) { bot in
                let sealed = try await stage.room()
                _ = try await stage.ask("!gif party", ["room": sealed])
                let plain = try await stage.room([:])
                try await stage.peer.take("send", ["text": "!gif party", "room": plain])
                #expect(try await !stage.peer.hear(stage.bot, ["room": plain]).isDecrypted)
                // A new session, whose key has to be kept before the message can be read.
                try await stage.peer.take("new_megolm", ["room": sealed])
                try Data().write(to: URL(filePath: filler))
                fill(filler)
                let asked = try await stage.peer.take("send", ["text": "!gif party", "room": sealed])["event_id"].text
                try await bot.logs("the full disk") { $0.contains("encrypted rooms wait, plain ones go on") }
                for word in ["happy", "cat"] {
                    try await stage.peer.take("send", ["text": "!gif \(word)", "room": plain])
                    _ = try await stage.peer.hear(stage.bot, ["room": plain])
                }
                try await stage.peer.take("expect_none", ["from": stage.bot, "room": sealed, "seconds": 2])
                try FileManager.default.removeItem(atPath: filler)
                let answer = try await stage.peer.hear(stage.bot, ["room": sealed])
                #expect(answer.isDecrypted && answer.problems.isEmpty)
                #expect(answer.content["m.relates_to", "m.in_reply_to", "event_id"].text == asked)
                #expect(try await bot.stop() == 0)
            }
        }
    }
}
