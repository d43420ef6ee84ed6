import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `gifbot verify` with somebody whose arithmetic is another implementation's, on Synapse.
    @Suite struct MatrixVerification {
        struct Stage {
            let server: Synapse
            let bot: String
            let local: String
            let alice: Verifier
            let folder: TemporaryFolder

            init(_ name: String, encrypts: Bool = false) async throws {
                server = try await Synapse.shared.get()
                local = "gif_verify_\(name)"
                bot = try await server.user(local)
                folder = try TemporaryFolder()
                alice = try await Verifier("vera_\(name)", on: server, in: folder, encrypts: encrypts)
            }

            var config: String {
                """
                \(Config.head(admins: [alice.id]))
                matrix:
                  - {name: home, homeserver: "\(server.url)", user: "\(bot)", password: \(local)}
                search: {providers: [folder]}
                log: {level: debug}
                """
            }

            /// The keys are on the server, and the device is signed.
            func start() async throws {
                try await withBot(config, in: folder) { bot in
                    try await bot.logs("the device to be signed", within: .seconds(60)) {
                        $0.contains("this device is signed by its account")
                    }
                }
            }

            func verify(_ arguments: [String] = []) throws -> Program {
                try Program(
                    Places.gifbot(), ["verify", "--config", folder.path + "/bot.yaml"] + arguments, in: folder.path)
            }

            func compare(_ program: Program) async throws {
                let shown = try await alice.answer()
                let decimals = shown["show", "decimals"].list.compactMap(\.number).map { String($0) }
                guard decimals.count == 3 else { throw Trouble("nothing to compare: \(shown)\n\(program.tail)") }
                try await eventually("the same numbers \(decimals)\n\(program.tail)") {
                    program.output.contains(decimals.joined(separator: " - "))
                }
            }
        }

        @Test("An admin asks: both see the same, and she learns to trust the bot's identity")
        func sheAsks() async throws {
            let stage = try await Stage("asked")
            try await stage.start()
            let program = try stage.verify()
            try await eventually("it to wait\n\(program.tail)", within: .seconds(60)) {
                program.output.contains("waits up to ten minutes")
            }
            try stage.alice.begin("ask", ["user": stage.bot])
            try await stage.compare(program)
            program.type("yes")
            try stage.alice.begin("answer", ["same": true])
            let verified = try await stage.alice.answer()
            #expect(verified["verified", "hasMaster"].flag, "\(verified)\n\(program.tail)")
            #expect(try await program.end() == 0, "\(program.tail)")
            #expect(program.output.contains("trusts this bot now"))
        }

        @Test("An admin asks in a chat of two, as clients do it")
        func sheAsksInARoom() async throws {
            let stage = try await Stage("room")
            try await stage.start()
            let program = try stage.verify()
            let window = try await MatrixPeer("vera_room", on: stage.server)
            let room = try await window.makeRoom(inviting: [stage.bot], direct: true)
            try await window.waitForMember(stage.bot, in: room)
            try stage.alice.begin("ask", ["user": stage.bot, "room": room])
            try await stage.compare(program)
            program.type("yes")
            try stage.alice.begin("answer", ["same": true])
            #expect(try await stage.alice.answer()["verified", "hasMaster"].flag, "\(program.tail)")
            #expect(try await program.end() == 0, "\(program.tail)")
        }

        @Test("An admin asks in an encrypted chat of two; a running bot refuses there too")
        func sheAsksInAnEncryptedRoom() async throws {
            let stage = try await Stage("sealed", encrypts: true)
            var room = ""
            try await withBot(stage.config, in: stage.folder) { bot in
                try await bot.logs("the device to be signed", within: .seconds(60)) {
                    $0.contains("this device is signed by its account")
                }
                try stage.alice.begin("room", ["user": stage.bot])
                room = try await stage.alice.answer()["room"].text ?? ""
                try stage.alice.begin("ask", ["user": stage.bot, "room": room])
                let answer = try await stage.alice.answer()
                #expect(answer["cancelled", "code"].text == "m.user", "\(answer)\n\(bot.program.tail)")
            }
            let program = try stage.verify()
            try await eventually("it to wait\n\(program.tail)", within: .seconds(60)) {
                program.output.contains("waits up to ten minutes")
            }
            try stage.alice.begin("ask", ["user": stage.bot, "room": room])
            try await stage.compare(program)
            program.type("yes")
            try stage.alice.begin("answer", ["same": true])
            #expect(try await stage.alice.answer()["verified", "hasMaster"].flag, "\(program.tail)")
            #expect(try await program.end() == 0, "\(program.tail)")
        }

        @Test("The bot asks, and what differs is no success")
        func theBotAsks() async throws {
            let stage = try await Stage("asks")
            try await stage.start()
            try stage.alice.begin("wait")
            let program = try stage.verify(["--user", stage.alice.id])
            try await stage.compare(program)
            program.type("no")
            #expect(try await program.end() == 1, "\(program.tail)")
            #expect(program.errors.contains("m.mismatched_sas"))
            try stage.alice.begin("answer", ["same": true])
            #expect(try await stage.alice.answer()["cancelled", "code"].text == "m.mismatched_sas")
        }

        @Test("The bot asks in the chat of two that there is; she says yes first, and it waits for its own operator")
        func theBotAsksInARoom() async throws {
            let stage = try await Stage("asks_room")
            let window = try await MatrixPeer("vera_asks_room", on: stage.server)
            var room = ""
            try await withBot(stage.config, in: stage.folder) { bot in
                try await bot.logs("the device to be signed", within: .seconds(60)) {
                    $0.contains("this device is signed by its account")
                }
                room = try await window.makeRoom(inviting: [stage.bot], direct: true)
                try await window.waitForMember(stage.bot, in: room)
                try await window.send("!gif party", to: room)
                _ = try await window.waitForMessages(1, of: stage.bot, in: room)
            }
            let program = try stage.verify(["--user", stage.alice.id])
            // Her window was closed when it asked.
            _ = try await eventually("it to ask in the room\n\(program.tail)", within: .seconds(60)) {
                try await window.messages(in: room, of: stage.bot).first { $0.kind == "m.key.verification.request" }
            }
            try stage.alice.begin("wait")
            try await stage.compare(program)
            try stage.alice.begin("answer", ["same": true])
            try await eventually("her side of it\n\(program.tail)", within: .seconds(60)) {
                let path = "/rooms/\(window.escaped(room))/messages?dir=b&limit=20"
                return try await window.call("GET", path)["chunk"].list.contains {
                    $0["type"].text == "m.key.verification.mac" && $0["sender"].text == stage.alice.id
                }
            }
            #expect(program.isRunning)
            program.type("yes")
            #expect(try await stage.alice.answer()["verified", "hasMaster"].flag, "\(program.tail)")
            #expect(try await program.end() == 0, "\(program.tail)")
        }

        @Test("Who asks the running bot is told how; a second program says that the bot must stop first")
        func nobodyAttends() async throws {
            let stage = try await Stage("running")
            try await withBot(stage.config, in: stage.folder) { bot in
                try await bot.logs("the device to be signed", within: .seconds(60)) {
                    $0.contains("this device is signed by its account")
                }
                try stage.alice.begin("ask", ["user": stage.bot])
                let answer = try await stage.alice.answer()
                #expect(answer["cancelled", "code"].text == "m.user")
                #expect(answer["cancelled", "reason"].text?.contains("gifbot verify") == true)
                let program = try stage.verify()
                #expect(try await program.end() == 1)
                #expect(program.errors.contains("stop the bot first"))
            }
        }

        @Test("The recovery key is shown once, and its file is gone")
        func recoveryKey() async throws {
            let stage = try await Stage("recovery")
            try await withBot(stage.config, in: stage.folder) { bot in
                try await bot.logs("a recovery key", within: .seconds(60)) { $0.contains("a recovery key was made") }
            }
            let files = { try FileManager.default.contentsOfDirectory(atPath: stage.folder.path + "/state") }
            #expect(try files().contains { $0.hasPrefix("recovery-key-") })
            let shown = try await gifbot(
                ["verify", "--recovery-key", "--config", stage.folder.path + "/bot.yaml"], in: stage.folder)
            #expect(shown.code == 0 && shown.output.count == 1 && shown.output[0].count > 40, "\(shown)")
            #expect(try !files().contains { $0.hasPrefix("recovery-key-") })
            let again = try await gifbot(
                ["verify", "--recovery-key", "--config", stage.folder.path + "/bot.yaml"], in: stage.folder)
            #expect(again.code == 1 && again.output.isEmpty)
        }
    }
}
