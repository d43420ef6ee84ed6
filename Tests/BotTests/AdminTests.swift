import Base
import Chat
import Foundation
import GiphySearch
import RateLimiter
import TestSupport
import Testing

@testable import Bot

extension Room {
    enum Rank {
        case stranger, op, admin
    }

    /// Gives an administrator's command and waits for the answer.
    @discardableResult
    func order(
        _ text: String, as rank: Rank = .admin, by user: String? = nil, in channel: String = "#cats",
        isDirect: Bool = false
    ) async -> String {
        let name = user ?? (rank == .admin ? "account:alice" : "account:olga")
        say(
            "!gif admin \(text)", by: name, in: channel, isDirect: isDirect, isAdmin: rank == .admin,
            isOperator: rank == .op)
        await bot.waitUntilIdle()
        return adapter.sent.last?.text ?? ""
    }

    func limits(in channel: String = "#cats") -> ChannelSettings.Limits { inForce(in: channel).limits }

    func inForce(in channel: String = "#cats", on network: String = "net") -> ChannelSettings {
        bot.inForce.channel(
            for: Conversation(network: network, name: channel, isDirect: false), bot.record
        ).settings
    }
}

@Loop @Suite struct AdminTests {
    @Test("A bot admin sets what they like; it holds in that channel alone, and is answered in private")
    func admin() async {
        let room = Room { $0.limits.user = limit("2/1m") }
        #expect(await room.order("limit user 9/1m") == "Set in net/#cats: limit user 9/1m (number 1).")
        #expect(room.adapter.sent.last?.audience == .asker)
        #expect(room.limits().user?.text == "9/1m")
        #expect(room.limits(in: "#dogs").user?.text == "2/1m")
        await room.order("limit user off")
        #expect(room.limits().user == nil)
        await room.order("rating r")
        #expect(room.inForce().rating == .r)
        await room.order("limit user_in_channel 20/1h burst 5")
        #expect(room.limits().userInChannel?.text == "20/1h burst 5")
        for _ in 0..<7 { room.say("!gif party") }
        #expect(room.adapter.answers.count == 5)
    }

    @Test("What counts a network or the whole bot holds there, whatever the channel")
    func wide() async {
        let room = Room()
        #expect(await room.order("limit global 3/1m") == "Set for the whole bot: limit global 3/1m (number 1).")
        await room.order("limit network 2/1m")
        #expect(room.inForce(in: "#x", on: "other").limits.global?.text == "3/1m")
        #expect(room.inForce(in: "#x", on: "other").limits.network == nil)
        #expect(room.inForce(in: "#x").limits.network?.text == "2/1m")
        #expect(await room.order("limit global 1/1m", as: .op).hasPrefix("Only operators"))
    }

    @Test("An operator tightens and never loosens")
    func operators() async {
        let room = Room {
            $0.limits.user = limit("5/1m")
            $0.rating = .pg
        }
        await room.order("limit user 3/1m", as: .op)
        #expect(room.limits().user?.text == "3/1m")
        // Their own word they may loosen again, as far as the config goes.
        await room.order("limit user 5/1m", as: .op)
        #expect(room.limits().user?.text == "5/1m")
        for beyond in ["6/1m", "5/59s", "5/1m burst 6", "1/1h burst 9", "off"] {
            let said = await room.order("limit user \(beyond)", as: .op)
            #expect(
                said == "Operators may only tighten: limit user 5/1m was set by the config or a bot admin.",
                "\(beyond)")
        }
        await room.order("limit user_in_channel 1/1m", as: .op)
        #expect(room.limits().userInChannel?.text == "1/1m")
        await room.order("limit user_in_channel off", as: .op)
        #expect(room.limits().userInChannel == nil)
        await room.order("rating r", as: .op)
        #expect(room.inForce().rating == .pg)
        await room.order("rating g", as: .op)
        #expect(room.inForce().rating == .g)
    }

    @Test("An operator may not undo what a bot admin set")
    func overAdmin() async {
        let room = Room()
        await room.order("off")
        #expect(await room.order("on", as: .op).hasPrefix("Operators may only tighten: off"))
        #expect(await room.order("revert 1", as: .op) == "That was set by a bot admin, and only one can lift it.")
        #expect(!room.inForce().isEnabled)
        await room.order("deny mud")
        #expect(await room.order("undeny mud", as: .op).hasPrefix("Operators may only tighten: deny mud"))
        #expect(await room.order("revert 2") == "Lifted in net/#cats: deny mud.")
        await room.order("on")
        #expect(room.inForce().isEnabled)
        await room.order("limit user 2/1m")
        await room.order("limit user 1/1m", as: .op)
        #expect(room.limits().user?.text == "1/1m")
        await room.order("limit user 3/1m", as: .op)
        #expect(room.limits().user?.text == "1/1m")
    }

    @Test("Switched off, only those who may switch it on are heard")
    func off() async {
        let room = Room()
        await room.order("off", as: .op)
        let before = room.adapter.sent.count
        room.say("!gif party")
        room.say("!gif help")
        room.say("!gif admin on", by: "eve")
        room.say("!gif party", isOperator: true)
        #expect(room.adapter.sent.count == before)
        room.say("!gif party", in: "#dogs")
        #expect(room.adapter.answers.count == 1)
        await room.order("on", as: .op)
        room.say("!gif party")
        #expect(room.adapter.answers.count == 2)
    }

    @Test("A nick gives no rights: whoever is neither admin nor operator is refused, a few times a minute at most")
    func strangers() async {
        let room = Room()
        for command in ["limit user off", "off", "status", "log", "ignore bo", "changes", "reload"] {
            let said = await room.order(command, as: .stranger, by: "alice")
            #expect(said == "Only operators, in their own channel, and the bot's admins may do that.")
        }
        #expect(room.adapter.sent.count == 6)
        #expect(room.store.admin.entries.isEmpty && room.store.admin.changes.isEmpty)
        #expect(room.bot.record.isEmpty)
    }

    @Test("Words that are no command of administrators are searched for, by whoever has no rights")
    func searched() async {
        let room = Room()
        for (words, query) in [
            ("abuse", "admin abuse"), ("", "admin"), ("Cat  on", "admin cat on"), ("#cats", "admin #cats"),
        ] {
            room.search.pages[query] = page(gif("x"))
            await room.order(words, as: .stranger, by: query)
            #expect(room.search.asked.last?.words == query)
        }
        #expect(room.adapter.answers.count == 4)
        #expect(await room.order("#dogs off", as: .stranger, by: "eve").hasPrefix("Only operators"))
        #expect(await room.order("abuse", as: .op).hasPrefix("Usage: "))
    }

    @Test(
        "What is for bot admins is not for operators",
        arguments: ["status", "reload", "log", "ignore bo!*@*", "unignore bo!*@*", "#dogs off", "net/#dogs off"])
    func adminsOnly(_ command: String) async {
        let room = Room()
        #expect(await room.order(command, as: .op).hasPrefix("Only operators, in their own channel, and the bot's"))
        #expect(room.bot.record.entries.isEmpty)
    }

    @Test("A deny list is the channel's own, and its words are found")
    func deny() async {
        let room = Room()
        room.search.pages["mud"] = page(gif("m", title: "Mud bath"))
        await room.order("deny MUD", as: .op)
        room.say("!gif mud")
        #expect(room.adapter.sent.last?.text == Sentences.nothingSuitable)
        room.say("!gif mud", in: "#dogs")
        #expect(room.adapter.answers.count == 1)
        #expect(await room.order("undeny dust", as: .op) == "That word is not denied here.")
        await room.order("undeny mud", as: .op)
        room.say("!gif mud")
        #expect(room.adapter.answers.count == 2)
    }

    @Test("In private a bot admin names the channel first")
    func inPrivate() async {
        let room = Room()
        #expect(await room.order("off", in: "alice", isDirect: true).hasPrefix("Which channel?"))
        #expect(await room.order("#cats off", in: "alice", isDirect: true) == "Set in net/#cats: off (number 1).")
        #expect(!room.inForce().isEnabled)
        #expect(await room.order("net/#dogs off", in: "alice", isDirect: true).hasPrefix("Set in net/#dogs"))
        #expect(await room.order("other/#dogs off", in: "alice", isDirect: true).hasPrefix("No channel of that name"))
        #expect(await room.order("changes", in: "alice", isDirect: true).contains("#1 net/#cats off"))
        #expect(await room.order("#cats on", as: .op, in: "olga", isDirect: true).hasPrefix("Only operators"))
    }

    @Test("Changes are listed, newest first, and lifted by number")
    func listed() async {
        let room = Room()
        #expect(await room.order("changes", as: .op) == "Changes: none.")
        await room.order("limit user 3/1m")
        await room.order("deny mud", as: .op)
        #expect(
            await room.order("changes", as: .op)
                == "Changes: #2 deny mud (net/olga, operator, 2027-01-15) "
                + "\u{B7} #1 limit user 3/1m (net/alice, admin, 2027-01-15)")
        #expect(await room.order("revert #2", as: .op) == "Lifted in net/#cats: deny mud.")
        #expect(room.inForce().deniedWords.isEmpty)
        #expect(await room.order("revert 2", as: .op).hasPrefix("No change of this channel"))
        await room.order("deny mud", as: .op, in: "#dogs")
        #expect(await room.order("revert 4", as: .op).hasPrefix("No change of this channel"))
        #expect(await room.order("changes", as: .op).contains("#1"))
        #expect(await room.order("changes", as: .op).contains("#4") == false)
    }

    @Test("A long list is cut at a line's end and says how it goes on")
    func pages() async {
        let room = Room()
        for number in 0..<20 { await room.order("deny word\(number)") }
        var seen = 0
        var next = "changes"
        for _ in 0..<20 {
            let line = await room.order(next)
            #expect(line.utf8.count <= room.adapter.budget)
            seen += line.split(separator: "\u{B7}").count
            guard let more = line.range(of: "older: admin ") else { break }
            next = String(line[more.upperBound...].dropLast())
        }
        #expect(seen == 20)
    }

    @Test("An operator can't wash the log away: so many changes a minute and no more")
    func pace() async {
        let room = Room()
        for number in 0..<40 { await room.order("deny word\(number)", as: .op) }
        #expect(room.bot.record.entries.count == 30)
        #expect(room.adapter.notices.contains("Too many changes in so short a time; try again in a minute."))
        #expect(await room.order("changes", as: .op).hasPrefix("Changes: "))
        #expect(await room.order("deny more").hasPrefix("Set in"))
        room.clock.advance(by: .minutes(1))
        #expect(await room.order("deny again", as: .op).hasPrefix("Set in"))
    }

    @Test("Everything is in the audit log: who, where, what, when")
    func audit() async {
        let room = Room()
        await room.order("limit user 3/1m")
        await room.order("off", as: .op, in: "#dogs")
        await room.order("revert 1")
        await room.order("ignore bo!*@*")
        #expect(
            await room.order("log")
                == "Log: #4 2027-01-15 08:00 net/alice in net/#cats: ignore net/bo!*@* \u{B7} "
                + "#3 2027-01-15 08:00 net/alice in net/#cats: revert 1 (limit user 3/1m) \u{B7} "
                + "#2 2027-01-15 08:00 net/olga in net/#dogs: off \u{B7} "
                + "#1 2027-01-15 08:00 net/alice in net/#cats: limit user 3/1m")
        for _ in 0..<1200 { await room.order("rating g") }
        #expect(room.bot.record.entries.count <= AdminRecord.mostEntries)
        #expect(room.bot.record.changes.count == AdminRecord.mostOfOneChannel + 1)
    }

    @Test("A restart keeps it all, and numbers go on")
    func restart() async {
        let room = Room()
        await room.order("limit user 1/1m")
        await room.order("limit channel 1/1m", as: .op)
        await room.order("ignore bo!*@*")
        await room.order("revert 2", as: .op)
        let again = Room(BotSettings(), store: room.store)
        #expect(again.limits().user?.text == "1/1m" && again.limits().channel?.text == "10/1m")
        #expect(again.bot.ignoredByChat == [.onNetwork("net", "bo!*@*")])
        #expect(await again.order("off").hasSuffix("(number 5)."))
    }

    @Test("A reload that tightens the config is not loosened by an operator's older word")
    func reload() async {
        let room = Room { $0.limits.user = limit("10/1m") }
        await room.order("limit user 5/1m", as: .op)
        func take(_ text: String) {
            var overrides = ChannelOverrides()
            overrides.limits.user = limit(text)
            room.bot.settings = BotSettings(defaults: overrides)
        }
        take("3/1m")
        #expect(room.limits().user?.text == "3/1m")
        take("20/1m burst 2")
        #expect(room.limits().user?.text == "5/1m burst 2")
        take("60/1m")
        #expect(room.limits().user?.text == "5/1m")
        await room.order("limit user 7/1m")
        take("1/1m")
        #expect(room.limits().user?.text == "5/1m", "a bot admin may go past the config")
    }

    @Test("A disk that is full is told, and the bot goes on")
    func full() async {
        let room = Room()
        room.store.isFull = true
        #expect(await room.order("off").hasSuffix(Sentences.notKept))
        #expect(!room.inForce().isEnabled)
    }

    @Test(
        "What can't be read is told with what was expected",
        arguments: [
            ("", "Usage: !gif admin on | off"), ("dance", "Usage: "), ("limit", "Usage: "),
            ("limit dog 1/1m", "Limit takes one of user"), ("limit user", "Usage: "),
            ("limit user 0/1m", "Limit: expected a whole number from 1"), ("rating nine", "Rating takes one of"),
            ("revert", "Usage: "), ("revert 99", "No change of this channel"), ("on now", "Usage: "),
            ("deny \(String(repeating: "x", count: 101))", "Words that long"),
            ("unignore eve!*@*", "Nobody of that name"),
            ("ignore @eve", "Who is meant?"),
        ])
    func faults(_ command: String, _ answer: String) async {
        let room = Room()
        #expect(await room.order(command).hasPrefix(answer))
        #expect(room.bot.record.entries.isEmpty)
    }

    @Test("Whom the config doesn't name is ignored by chat, as masks and ids")
    func ignoring() async {
        let control = Control()
        let room = Room()
        room.bot.control = control
        await room.order("ignore bo")
        await room.order("ignore net/*!*@bots.example")
        await room.order("ignore @eve:example.org")
        #expect(
            room.bot.ignoredByChat == [
                .onNetwork("net", "bo"), .onNetwork("net", "net/*!*@bots.example"), .matrix("@eve:example.org"),
            ])
        #expect(control.told == 3)
        #expect(await room.order("unignore bo") == "Heard again: net/bo.")
        #expect(room.bot.ignoredByChat.count == 2 && control.told == 4)
        #expect(await room.order("ignore bo", by: "@alice:example.org").hasPrefix("Who is meant?"))
    }

    @Test("A banned GIF is not shown there again; operators lift what operators banned")
    func bans() async {
        let room = Room()
        room.search.pages["one"] = page(gif("a"))
        let request = { (isAdmin: Bool) in
            Request(
                message: ChatMessage(
                    id: nil, conversation: Conversation(network: "net", name: "#cats", isDirect: false),
                    sender: Sender(identity: .account("olga"), name: "olga", isAdmin: isAdmin, isOperator: true),
                    text: "",
                    isAddressed: false, age: .zero, address: ""),
                adapter: room.adapter, channel: Channel(room.inForce()), id: AnswerID("1"))
        }
        room.bot.ban("giphy:a", request(false), answer: "Banned.")
        await room.bot.waitUntilIdle()
        #expect(room.adapter.sent.last?.text == "Banned." && room.bot.isBanned("giphy:a", request(false)))
        room.say("!gif one")
        #expect(room.adapter.notices.last == Sentences.nothingSuitable)
        room.say("!gif one", in: "#dogs")
        #expect(room.adapter.answers.count == 1)
        #expect(await room.order("bans", as: .op) == "Bans: giphy:a (net/olga, 2027-01-15)")
        #expect(await room.order("unban giphy:b", as: .op) == "That id is not banned here.")
        #expect(await room.order("unban giphy:a", as: .op) == "No longer banned in net/#cats: giphy:a.")
        room.say("!gif one")
        #expect(room.adapter.answers.count == 2)
        room.bot.ban("giphy:a", request(true), answer: "Banned.")
        await room.bot.waitUntilIdle()
        #expect(await room.order("unban giphy:a", as: .op).hasPrefix("That was set by a bot admin"))
        #expect(await room.order("unban giphy:a").hasPrefix("No longer banned"))
        #expect(await room.order("bans", as: .op) == "Bans: none.")
        for number in 0..<1010 { room.bot.ban("giphy:\(number)", request(false), answer: "") }
        await room.bot.waitUntilIdle()
        #expect(room.bot.record.changes.count == AdminRecord.mostBans)
    }

    @Test func statusAndReload() async {
        let control = Control()
        let room = Room()
        #expect(await room.order("reload") == AdminSentences.noReload)
        room.bot.control = control
        room.say("!gif party")
        room.clock.advance(by: .minutes(90))
        #expect(
            await room.order("status")
                == "Status: gifbot 1.0, up 90 min \u{B7} net online \u{B7} 3 commands, 1 answers, 0 refused by limits, "
                + "0 lines not said, 0 too many \u{B7} 0 in progress, longest wait 1 s \u{B7} 0 changes by chat \u{B7} 0 ignored by chat"
        )
        #expect(await room.order("reload") == "Reloaded: nothing changed.")
        #expect(room.bot.record.entries.map(\.what) == ["reload"])
    }
}

@Loop private final class Control: BotControl {
    var told = 0
    func reload() async -> String { "Reloaded: nothing changed." }
    func networks() -> [String] { ["net online"] }
    func ignoredChanged() { told += 1 }
}
