import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The account's own identity on Synapse, and stores of keys that are lost or swapped.
    @Suite struct MatrixKeys {
        struct Stage {
            let server: Synapse
            let local: String
            let user: String
            let folder: TemporaryFolder

            init(_ name: String, on server: Synapse? = nil) async throws {
                if let server { self.server = server } else { self.server = try await Synapse.shared.get() }
                local = "gif_\(name)"
                user = try await self.server.user(local)
                folder = try TemporaryFolder()
            }

            func config(_ more: [String] = []) -> String {
                ([
                    Config.head(), "matrix:", "  - name: home", "    homeserver: \(server.url)",
                    "    user: \"\(user)\"",
                    "    password: \(local)", "    invites: {accept: [gifbot.test]}",
                ] + more.map { "    " + $0 } + ["search: {providers: [folder]}", "log: {level: debug}"])
                .joined(separator: "\n")
            }

            var state: String { folder.path + "/state/" }

            func files(_ part: String) throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: state).filter { $0.contains(part) }.sorted()
            }

            func remove(_ part: String) throws {
                for name in try files(part) { try FileManager.default.removeItem(atPath: state + name) }
            }

            /// As the session file has it.
            func device() throws -> String {
                let text = try folder.read("state/" + #require(files(".session").first))
                return try String(#require(text.firstMatch(of: /device_id (\S+)/)).output.1)
            }

            func recoveryKey() throws -> String {
                try folder.read("state/" + #require(files("recovery-key").first))
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }

            /// What another implementation finds with the recovery key.
            func opened(_ recoveryKey: String) async throws -> JSON {
                let python = try Places.require("venv/bin/python").path
                let program = try Program(
                    python,
                    [
                        "-B", Places.scripts.appending(path: "secret_storage.py").path, "--url", server.url, "--user",
                        user,
                        "--password", local, "--recovery-key", recoveryKey,
                    ], in: Places.checkout.path)
                guard try await program.end() == 0 else { throw Trouble(program.tail) }
                return JSON(try? JSONSerialization.jsonObject(with: Data(program.output.text.utf8)))
            }

            func run(_ more: [String] = [], _ body: (Bot) async throws -> Void) async throws {
                try await withBot(config(more), in: folder, body)
            }
        }

        static let signed = "this device is signed by its account"

        private static func check(_ opened: JSON, signedBy device: String) {
            #expect(opened["key_fits"].value as? Bool == true)
            #expect(
                Set(opened["right_secrets"].list.compactMap(\.text)) == ["master", "self_signing", "user_signing"])
            #expect(opened["signed_devices"].list.compactMap(\.text).contains(device))
        }

        private static func newDevices(_ bot: Bot) -> Int {
            bot.program.errors.lines.filter { $0.contains("a new device is logged in") }.count
        }

        @Test func `the device is signed at the first start, and the recovery key opens the account's keys`()
            async throws
        {
            let stage = try await Stage("keys_first")
            try await stage.run { bot in
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                try await bot.logs("a recovery key") { $0.contains("a recovery key was made") }
                let key = try stage.recoveryKey()
                #expect(!bot.program.errors.text.contains(key.prefix(9)))
                try await eventually("everything to be uploaded") {
                    (try? await stage.opened(key))?["key_fits"].value as? Bool == true
                }
                Self.check(try await stage.opened(key), signedBy: try stage.device())
                let (code, output, _) = try await gifbot([
                    "check", "--live", "--config", stage.folder.path + "/bot.yaml",
                ])
                #expect(code == 0)
                let line =
                    "encryption: the device \(try stage.device()) has its keys on the server, and is signed by its account"
                #expect(output.contains { $0.contains(line) }, "\(output)")
                #expect(try await bot.stop() == 0)
            }
            for name in try stage.files("key") {
                let attributes = try FileManager.default.attributesOfItem(atPath: stage.state + name)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
            }
            // A second start has nothing to make.
            let device = try stage.device()
            try await stage.run { bot in
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                #expect(!bot.program.errors.text.contains("was made") && bot.program.errors.text.contains("is signed"))
                #expect(try stage.device() == device)
            }
        }

        @Test func `a server that wants the password before it takes the first keys gets it, and never for others`()
            async throws
        {
            let module = Places.scripts.appending(path: "synapse/strict_identity.py").path
            let stage = try await Stage("keys_strict", on: Synapse(["--module", module]))
            try await stage.run { bot in
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                try await bot.logs("a recovery key") { $0.contains("a recovery key was made") }
                #expect(!bot.program.errors.text.contains("wants the account's password"))
                let key = try stage.recoveryKey()
                try await eventually("everything to be uploaded") {
                    (try? await stage.opened(key))?["key_fits"].value as? Bool == true
                }
                #expect(try await bot.stop() == 0)
            }
            let key = try stage.recoveryKey()
            let master = try await stage.opened(key)["master"].text
            #expect(master != nil)
            // Without its keys it is somebody else, who might reset the identity with the password, and doesn't.
            try stage.remove("keys-")
            try await stage.run { bot in
                try await bot.logs("the recovery key to be asked for") { $0.contains("give their recovery key") }
                #expect(try await bot.stop() == 0)
            }
            #expect(try await stage.opened(key)["master"].text == master)
        }

        @Test(
            "a lost store: a new device by itself, which the recovery key lets sign", arguments: ["keys-", ".secret"])
        func lost(_ part: String) async throws {
            let stage = try await Stage("keys_lost\(part == "keys-" ? "" : "_secret")")
            try await stage.run { bot in
                try await bot.logs("a recovery key") { $0.contains("a recovery key was made") }
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                let key = try stage.recoveryKey()
                try await eventually("everything to be uploaded") {
                    (try? await stage.opened(key))?["key_fits"].value as? Bool == true
                }
                #expect(try await bot.stop() == 0)
            }
            let first = try stage.device()
            let key = try stage.recoveryKey()
            let master = try await stage.opened(key)["master"].text
            try stage.remove(part)
            try await stage.run { bot in
                try await bot.logs("the loss to be noticed") { $0.contains("a new device is logged in") }
                try await bot.logs("the recovery key to be asked for") { $0.contains("give their recovery key") }
                #expect(try stage.device() != first)
                #expect(Self.newDevices(bot) == 1)
                #expect(try await bot.stop() == 0)
            }
            let second = try stage.device()
            try stage.folder.write(key, to: "recovery.txt")
            try await stage.run(["recovery_key_file: recovery.txt"]) { bot in
                try await bot.logs("the keys to be read") { $0.contains("read from secret storage") }
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                #expect(!bot.program.errors.text.contains("new device"))
                #expect(try await bot.stop() == 0)
            }
            #expect(try stage.device() == second)
            let opened = try await stage.opened(key)
            Self.check(opened, signedBy: second)
            #expect(opened["master"].text == master, "nobody is warned of a new identity")
            // Signed once, it needs the key no more.
            try await stage.run { bot in
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                #expect(!bot.program.errors.text.contains("recovery key"))
            }
        }

        @Test func `another account's store: noticed, and mended by one new device`() async throws {
            let stage = try await Stage("keys_swapped")
            let other = try await Stage("keys_other")
            for one in [stage, other] {
                try await one.run { bot in
                    try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                    #expect(try await bot.stop() == 0)
                }
            }
            let first = try stage.device()
            let name = try #require(stage.files("keys-").first { $0.hasSuffix(".db") })
            let theirs = try #require(other.files("keys-").first { $0.hasSuffix(".db") })
            for ending in ["", ".secret"] {
                let to = stage.state + (ending.isEmpty ? name : name.replacing(".db", with: ending))
                let from = other.state + (ending.isEmpty ? theirs : theirs.replacing(".db", with: ending))
                try FileManager.default.removeItem(atPath: to)
                try FileManager.default.copyItem(atPath: from, toPath: to)
            }
            try await stage.run { bot in
                try await bot.logs("the swap to be noticed") { $0.contains("a new device is logged in") }
                try await bot.logs("work to go on") { $0.contains("encryption is on") && !$0.contains(first) }
                try await bot.logs("the recovery key to be asked for") { $0.contains("give their recovery key") }
                #expect(Self.newDevices(bot) == 1)
            }
            #expect(try stage.device() != first)
        }

        @Test func `after a lost store it reads and answers in the encrypted room again`() async throws {
            let stage = try await Encryption.Stage("keys_again")
            let folder = try TemporaryFolder()
            try await withBot(stage.config(), in: folder) { bot in
                try await stage.room()
                _ = try await stage.ask()
                #expect(try await bot.stop() == 0)
            }
            let state = folder.path + "/state/"
            for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasPrefix("keys-") {
                try FileManager.default.removeItem(atPath: state + name)
            }
            try await withBot(stage.config(), in: folder) { bot in
                try await bot.logs("a new device to be at work") { $0.contains("a new device is logged in") }
                try await bot.logs("the recovery key to be asked for") { $0.contains("give their recovery key") }
                _ = try await stage.ask("!gif happy")
                #expect(Self.newDevices(bot) == 1)
            }
        }

        @Test func `a stored session whose keys are lost: told, encrypted rooms rest, plain ones go on`() async throws {
            let stage = try await Stage("keys_session")
            let peer = try await MatrixPeer("ada_keys_session", on: stage.server)
            var room = ""
            try await stage.run { bot in
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                room = try await peer.makeRoom(inviting: [stage.user])
                try await peer.waitForMember(stage.user, in: room)
                #expect(try await bot.stop() == 0)
            }
            let device = try stage.device()
            // As after `gifbot login`: the session in the state folder is all that there is to sign in with.
            let config = stage.config().split(separator: "\n").filter { !$0.contains("password:") }
            for (round, isLost) in [(1, false), (2, true), (3, true)] {
                if round == 2 { try stage.remove("keys-") }
                try await withBot(config.joined(separator: "\n"), in: stage.folder) { bot in
                    let line = isLost ? "encrypted rooms are left alone until" : Self.signed
                    try await bot.logs(line) { $0.contains(line) }
                    try await peer.send("!gif party", to: room)
                    _ = try await peer.waitForMessages(round, of: stage.user, in: room)
                    #expect(try await bot.stop() == 0)
                }
                #expect(try stage.device() == device)
            }
        }

        @Test func `a bare token whose keys are lost: told once, encrypted rooms rest, plain ones go on`() async throws
        {
            let server = try await Synapse.shared.get()
            let local = "gif_keys_token"
            let user = try await server.user(local)
            let login = try await Web.call(
                "POST", server.url + "/_matrix/client/v3/login",
                json: [
                    "type": "m.login.password", "identifier": ["type": "m.id.user", "user": local], "password": local,
                ])
            let token = try #require(login.json["access_token"].text)
            let config = """
                \(Config.head())
                matrix:
                  - {name: home, homeserver: "\(server.url)", access_token: "\(token)", invites: {accept: [gifbot.test]}}
                search: {providers: [folder]}
                log: {level: debug}
                """
            let peer = try await MatrixPeer("ada_keys_token", on: server)
            let folder = try TemporaryFolder()
            var room = ""
            try await withBot(config, in: folder) { bot in
                try await bot.logs("the device to be signed") { $0.contains(Self.signed) }
                room = try await peer.makeRoom(inviting: [user])
                try await peer.waitForMember(user, in: room)
                #expect(try await bot.stop() == 0)
            }
            let state = folder.path + "/state/"
            for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasPrefix("keys-") {
                try FileManager.default.removeItem(atPath: state + name)
            }
            for round in 1...2 {
                try await withBot(config, in: folder) { bot in
                    try await bot.logs("the loss to be told") { $0.contains("encrypted rooms are left alone until") }
                    try await peer.send("!gif party", to: room)
                    _ = try await peer.waitForMessages(round, of: user, in: room)
                    let told = bot.program.errors.lines.filter { $0.contains("are left alone until") }
                    #expect(told.count == 1)
                    #expect(try await bot.stop() == 0)
                }
            }
        }
    }
}
