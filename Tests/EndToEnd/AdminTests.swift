import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Limits changed by chat and by file, by those who may, and kept over a kill.
    @Suite struct Admin {
        static let file = "{user: 6/1h, channel: off, user_in_channel: off, network: off, global: off}"
        static let changedFile = "{user: 5/1h, channel: off, user_in_channel: off, network: off, global: off}"

        @Test
        func `IRC: an admin and an operator change limits, a borrowed nick gives no rights, a kill loses nothing`()
            async throws
        {
            let scene = try await IRCScene()
            try await withBot(scene.config(Self.file), in: scene.folder) { bot in
                try await scene.ada.hearJoin(of: scene.nick)
                #expect(
                    try await scene.order(scene.boss, "limit channel 4/1h")
                        == "Set in lab/\(scene.channel): limit channel 4/1h (number 1).")
                #expect(
                    try await scene.order(scene.ada, "limit user 3/1h")
                        == "Set in lab/\(scene.channel): limit user 3/1h (number 2).")
                #expect(try await scene.order(scene.ada, "limit user 9/1h").hasPrefix("Operators may only tighten"))
                #expect(try await scene.order(scene.ada, "limit channel 5/1h").hasPrefix("Operators may only tighten"))

                // Operators are followed: whoever is made one may, whoever is one no more may not.
                try await scene.mode("+o", scene.stranger)
                #expect(try await scene.order(scene.stranger, "deny rain").hasSuffix("(number 3)."))
                try await scene.mode("-o", scene.stranger)
                #expect(try await scene.order(scene.stranger, "deny snow").hasPrefix("Only operators"))

                // The admin goes by another nick, and a stranger takes the one that was left.
                try await scene.swapNicks()
                #expect(try await scene.order(scene.stranger, "limit user off").hasPrefix("Only operators"))
                #expect(try await scene.order(scene.boss, "deny mud").hasSuffix("(number 4)."))

                // By file, which tightens less than the operator did and leaves what the admin set.
                try bot.rewrite(scene.config(Self.changedFile))
                #expect(try await scene.order(scene.boss, "reload").hasPrefix("Settings reloaded"))

                for _ in 0..<3 { try await scene.isAnswered(scene.stranger) }
                try await scene.isRefused(scene.stranger)
                // What was used is on disk no later than what is waited for.
                #expect(try await scene.order(scene.ada, "deny dust").hasSuffix("(number 6)."))
                bot.program.signal(SIGKILL)
                try await bot.program.end()
            }
            let mark = scene.ada.mark
            try await withBot(scene.config(Self.changedFile), in: scene.folder) { _ in
                try await scene.ada.hearJoin(of: scene.nick, from: mark)
                try await scene.isRefused(scene.stranger)
                try await scene.isAnswered(scene.boss)
                // Four of the channel's are used now.
                try await scene.isRefused(scene.boss)
                let changes = try await scene.order(scene.ada, "changes")
                for part in [
                    "#1 limit channel 4/1h", "#2 limit user 3/1h", "#3 deny rain", "#4 deny mud", "#6 deny dust",
                ] {
                    #expect(changes.contains(part), "\(changes)")
                }
                #expect(try await scene.order(scene.ada, "revert 1").hasPrefix("That was set by a bot admin"))
                #expect(try await scene.order(scene.boss, "revert 1").hasPrefix("Lifted"))
                let log = try await scene.order(scene.boss, "log")
                #expect(log.contains("lab/\(scene.account) in lab/\(scene.channel): revert 1"), "\(log)")

                // Ignored by mask; heard again later. All who aren't signed in are one person to the limits here.
                let mask = "*!\(scene.stranger.nick)@*"
                #expect(try await scene.order(scene.boss, "ignore \(mask)").hasPrefix("Ignored from now on"))
                let quiet = scene.stranger.mark
                scene.stranger.say("!gif party", to: scene.channel)
                try await scene.isAnswered(scene.boss)
                #expect(scene.stranger.messages(of: scene.nick, from: quiet).count == 1)
                #expect(try await scene.order(scene.boss, "unignore \(mask)").hasPrefix("Heard again"))
                #expect(try await scene.order(scene.stranger, "limit user off").hasPrefix("Only operators"))
            }
        }

        @Test
        func `Matrix: an admin and an operator change limits, a borrowed name gives no rights, a kill loses nothing`()
            async throws
        {
            let scene = try await MatrixScene()
            let folder = try TemporaryFolder()
            try await withBot(scene.config(Self.file), in: folder) { bot in
                try await scene.stage.peer.waitForMember(scene.stage.bot, in: scene.room)
                #expect(
                    try await scene.order(scene.boss, "limit channel 4/1h").hasSuffix("limit channel 4/1h (number 1)."))
                #expect(try await scene.order(scene.stage.peer, "limit user 3/1h").hasSuffix("(number 2)."))
                #expect(
                    try await scene.order(scene.stage.peer, "limit user 9/1h").hasPrefix("Operators may only tighten"))
                #expect(try await scene.order(scene.stranger, "limit user off").hasPrefix("Only operators"))
                // Operators are followed: whoever is raised may, whoever is lowered may not any more.
                try await scene.raise(scene.stranger, to: 50)
                #expect(try await scene.order(scene.stranger, "deny mud").hasSuffix("(number 3)."))
                try await scene.raise(scene.stranger, to: 0)
                #expect(try await scene.order(scene.stranger, "deny dust").hasPrefix("Only operators"))

                try bot.rewrite(scene.config(Self.changedFile))
                #expect(try await scene.order(scene.boss, "reload").hasPrefix("Settings reloaded"))
                for _ in 0..<3 { #expect(try await scene.say("!gif party", scene.stranger).contains("GIPHY")) }
                #expect(try await scene.say("!gif party", scene.stranger).hasPrefix("Your limit is reached"))
                #expect(try await scene.order(scene.stage.peer, "deny rain").hasSuffix("(number 5)."))
                bot.program.signal(SIGKILL)
                try await bot.program.end()
            }
            try await withBot(scene.config(Self.changedFile), in: folder) { _ in
                #expect(try await scene.say("!gif party", scene.stranger).hasPrefix("Your limit is reached"))
                let changes = try await scene.order(scene.stage.peer, "changes")
                for part in ["#1 limit channel 4/1h", "#2 limit user 3/1h", "#3 deny mud", "#5 deny rain"] {
                    #expect(changes.contains(part), "\(changes)")
                }
                #expect(try await scene.order(scene.stage.peer, "revert 1").hasPrefix("That was set by a bot admin"))
                #expect(try await scene.order(scene.boss, "revert 1").hasPrefix("Lifted"))
            }
        }

        @Test func `a disk that takes nothing more is told, and stops nothing`() async throws {
            let scene = try await IRCScene("full")
            try await withBot(scene.config(Self.file), in: scene.folder) { _ in
                try await scene.ada.hearJoin(of: scene.nick)
            }
            // No file may grow beyond what is there and a little: as a full disk has it, but for this process alone.
            let size = try Data(contentsOf: URL(fileURLWithPath: scene.folder.path + "/state/gifbot.db")).count
            let script = "trap '' XFSZ; ulimit -f \(size / 512 + 16); exec \"$0\" run --config bot.yaml"
            let mark = scene.ada.mark
            let program = try Program("/bin/sh", ["-c", script, Places.gifbot()], in: scene.folder.path)
            defer { program.signal(SIGKILL) }
            try await scene.ada.hearJoin(of: scene.nick, from: mark)
            var answer = ""
            for number in 0..<60 where !answer.contains("can't be written") {
                answer = try await scene.order(scene.boss, "deny word\(number)")
                #expect(answer.hasPrefix("Set in"))
            }
            #expect(answer.contains("can't be written"), "\(answer)")
            #expect(program.errors.lines.count { $0.contains("the state can't be written") } == 1)
            // It goes on, with what it was told in force.
            try await scene.isAnswered(scene.stranger)
            #expect(try await scene.order(scene.boss, "changes").hasPrefix("Changes: #"))
            program.signal(SIGTERM)
            #expect(try await program.end(within: .seconds(10)) == 0)
        }
    }
}

/// A channel with its operator, a bot admin who is known to services, and a stranger.
private struct IRCScene {
    let stage: EndToEnd.IRC.Stage
    let folder: TemporaryFolder
    let boss: IRCPeer
    let stranger: IRCPeer
    let account: String

    var ada: IRCPeer { stage.peer }
    var nick: String { stage.nick }
    var channel: String { stage.channel }

    init(_ name: String = "admin") async throws {
        stage = try await EndToEnd.IRC.Stage(name)
        account = "boss_\(name)"
        folder = try TemporaryFolder()
        boss = try await IRCPeer(nick: account, port: stage.server.plainPort)
        boss.say("REGISTER boss-secret boss@lab.invalid", to: "NickServ")
        try await boss.hear("the account") { $0.command == "900" }
        stranger = try await IRCPeer(nick: "eve_\(name)", port: stage.server.plainPort)
        for peer in [boss, stranger] { try await peer.join(stage.channel) }
    }

    func config(_ limits: String) -> String {
        stage.config(limits: limits).replacing("admins: []", with: "admins: [\"lab/\(account)\"]")
    }

    /// What the bot says to `peer` about a command of theirs, wherever it says it.
    private func answer(to line: String, _ peer: IRCPeer) async throws -> IRCLine {
        let mark = peer.mark
        peer.say(line, to: channel)
        return try await peer.answer(of: nick, from: mark)
    }

    func order(_ peer: IRCPeer, _ words: String) async throws -> String {
        let line = try await answer(to: "!gif admin \(words)", peer)
        #expect(line.command == "NOTICE" && line.parameters.first != channel, "an answer in private: \(line)")
        return line.text
    }

    func isAnswered(_ peer: IRCPeer) async throws {
        let line = try await answer(to: "!gif party", peer)
        #expect(line.command == "PRIVMSG" && line.parameters.first == channel, "\(line)")
    }

    func isRefused(_ peer: IRCPeer) async throws {
        let line = try await answer(to: "!gif party", peer)
        #expect(line.command == "NOTICE" && line.parameters.first != channel, "\(line)")
        #expect(line.text.contains("limit") && line.text.contains("retry in"), "\(line)")
    }

    func mode(_ mode: String, _ peer: IRCPeer) async throws {
        let mark = peer.mark
        ada.send("MODE \(channel) \(mode) \(peer.nick)")
        try await peer.hear("the mode", from: mark) { $0.command == "MODE" && $0.parameters.contains(mode) }
    }

    func swapNicks() async throws {
        boss.send("NICK boss_elsewhere")
        try await boss.hear("the new nick") { $0.command == "NICK" && $0.text == "boss_elsewhere" }
        stranger.send("NICK \(account)")
        try await stranger.hear("the taken nick") { $0.command == "NICK" && $0.text == account }
    }
}

/// A room with its operator, a bot admin, and a stranger who calls themselves like the admin.
private struct MatrixScene {
    let stage: EndToEnd.Matrix.Stage
    let boss: MatrixPeer
    let stranger: MatrixPeer
    let room: String

    init() async throws {
        stage = try await EndToEnd.Matrix.Stage("admin")
        boss = try await MatrixPeer("boss_admin", on: stage.server)
        stranger = try await MatrixPeer("eve_admin", on: stage.server)
        let path = "/profile/\(Self.escaped(stranger.id))/displayname"
        _ = try await stranger.call("PUT", path, ["displayname": boss.id])
        room = try await stage.peer.makeRoom(inviting: [stage.bot, boss.id, stranger.id])
        for peer in [boss, stranger] { _ = try await peer.call("POST", "/join/\(Self.escaped(room))", [:]) }
    }

    func config(_ limits: String) -> String {
        stage.config(admins: [boss.id]).replacing("limits: \(Config.noLimits)", with: "limits: \(limits)")
    }

    func order(_ peer: MatrixPeer, _ words: String) async throws -> String {
        try await say("!gif admin \(words)", peer)
    }

    /// The text of the bot's next message in the room.
    func say(_ line: String, _ peer: MatrixPeer) async throws -> String {
        let before = try await stage.peer.messages(in: room, of: stage.bot).count
        try await peer.send(line, to: room)
        return try await stage.peer.waitForMessages(before + 1, of: stage.bot, in: room).last?.body ?? ""
    }

    func raise(_ peer: MatrixPeer, to level: Int) async throws {
        let path = "/rooms/\(Self.escaped(room))/state/m.room.power_levels"
        let levels = try await stage.peer.call("GET", path)
        var users = levels["users"].members.mapValues { $0.number ?? 0 }
        users[peer.id] = level
        _ = try await stage.peer.call("PUT", path, ["users": users])
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
