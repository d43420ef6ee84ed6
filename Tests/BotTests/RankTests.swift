import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

/// What an operator may not learn, and not undo, of what bot admins did.
@Loop @Suite struct RankTests {
    @Test("In private everybody may count as an operator, and learns and changes nothing of any channel")
    func operatorInPrivate() async {
        let room = Room()
        await room.order("deny secret")
        let refused: [(command: String, answer: String)] = [
            ("changes", "Which channel?"), ("bans", "Which channel?"), ("unban giphy:a", "Which channel?"),
            ("revert 1", "No change of this channel"), ("deny mud", "Which channel?"), ("status", "Only operators"),
        ]
        for (number, (command, answer)) in refused.enumerated() {
            // Another person each time, since hints are few for one.
            let said = await room.order(command, as: .op, by: "eve\(number)", in: "eve", isDirect: true)
            #expect(said.hasPrefix(answer), "\(command)")
        }
        room.say("!gif ban", by: "mallory", in: "mallory", isDirect: true, isOperator: true)
        #expect(room.adapter.sent.last?.text == Sentences.onlyInChannels)
        #expect(room.bot.record.changes.map(\.number) == [1] && room.bot.record.entries.count == 1)
    }

    @Test("At the bound an operator's ban lifts the oldest that no bot admin made, and none when there is none")
    func bansOfAdmins() throws {
        func ban(_ number: Int64, isByAdmin: Bool) -> AdminChange {
            AdminChange(
                number: number, reach: .channel(network: "net", name: "#cats"), setting: .banned("giphy:\(number)"),
                isByAdmin: isByAdmin, who: "x", at: WallTime(milliseconds: 0))
        }
        var record = AdminRecord()
        let most = Int64(AdminRecord.mostBans)
        for number in 1...most { record.apply(.changed(ban(number, isByAdmin: number != 7))) }
        #expect(try record.giveWay(to: ban(most + 1, isByAdmin: false))?.number == 7)
        #expect(try record.giveWay(to: ban(most + 1, isByAdmin: true))?.number == 1)
        record.apply(.lifted(7))
        record.apply(.changed(ban(most + 1, isByAdmin: true)))
        #expect(throws: AdminFault.tooMany) { try record.giveWay(to: ban(most + 2, isByAdmin: false)) }
    }

    @Test("A bot admin's ban counts over an operator's, once")
    func adminBansAfterOperator() async {
        let room = Room { $0.dropLimits() }
        // What was sent stays, so that it can be banned again.
        room.adapter.isFinal = true
        room.say("!gif party")
        room.say("!gif ban", by: "olga", isOperator: true)
        for _ in 0..<3 { room.say("!gif ban", by: "alice", isAdmin: true) }
        room.say("!gif ban", by: "olga", isOperator: true)
        await room.bot.waitUntilIdle()
        #expect(room.bot.record.changes.map(\.isByAdmin) == [false, true])
        #expect(await room.order("unban giphy:a", as: .op).hasPrefix("That was set by a bot admin"))
    }
}
