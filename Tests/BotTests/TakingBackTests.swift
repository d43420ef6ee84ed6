import Base
import Chat
import GiphySearch
import TestSupport
import Testing

@testable import Bot

@Loop @Suite struct TakingBackTests {
    private func room() -> Room { Room { $0.dropLimits() } }

    @Test("undo takes back the asker's own last answer, one after the other, within ten minutes")
    func undo() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.say("!gif party", id: "$2")
        room.say("!gif party", by: "bo", id: "$3")
        room.say("!gif undo")
        room.say("!gif undo")
        #expect(room.adapter.retracted.map(\.text) == ["$2", "$1"])
        room.say("!gif undo")
        #expect(room.adapter.notices == [Sentences.nothingToUndo])
        room.clock.advance(by: .minutes(10))
        room.say("!gif undo", by: "bo")
        #expect(room.adapter.notices.count == 2 && room.adapter.retracted.count == 2)
        room.say("!gif undo", by: "olga", isOperator: true)
        #expect(room.adapter.retracted.map(\.text) == ["$2", "$1", "$3"])
    }

    @Test("undo says when the protocol can't")
    func final() {
        let room = room()
        room.adapter.isFinal = true
        room.say("!gif party")
        room.say("!gif undo")
        #expect(room.adapter.notices == [Sentences.cantTakeBack])
    }

    @Test(
        "undo, or a redaction, while the search is still running: nothing is sent (BUG-04)", arguments: [true, false])
    func stillSearching(isUndo: Bool) async {
        let room = room()
        room.say("!gif owl", id: "$1")
        if isUndo { room.say("!gif undo", id: "$2") } else { room.change(.redacted, "$1") }
        await room.finish(.success(page(gif("o"))))
        #expect(room.adapter.sent.isEmpty && room.adapter.retracted.isEmpty)
        #expect(room.bot.inProgress == 0)
    }

    @Test("When the command is redacted, the answer goes, a notice too")
    func redacted() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.say("!gif", id: "$2")
        room.change(.redacted, "$1")
        room.change(.redacted, "$2")
        // From before a restart: the adapter may know it.
        room.change(.redacted, "$0")
        #expect(room.adapter.retracted.map(\.text) == ["$1", "$2", "$0"])
    }

    @Test("ban is for operators: the GIF goes, and is never shown there again")
    func ban() async {
        let room = room()
        room.say("!gif party", id: "$1")
        room.say("!gif ban", id: "$2")
        #expect(room.adapter.notices == [Sentences.onlyOperators])
        room.say("!gif ban", by: "olga", isOperator: true)
        await room.bot.waitUntilIdle()
        #expect(room.adapter.retracted.map(\.text) == ["$1"])
        #expect(room.adapter.sent.last?.text == Sentences.banned && room.store.writes > 0)
        for _ in 0..<4 { room.say("!gif party") }
        #expect(!room.adapter.answers.dropFirst().contains { $0.url?.hasSuffix("/a.gif") ?? false })
        room.say("!gif party", in: "#dogs")
        #expect(room.adapter.answers.last?.url?.hasSuffix("/a.gif") == true)
    }

    @Test("A ban of what is banned only takes back, and an operator bans at the pace of their other changes")
    func banPace() async {
        let room = room()
        // What was sent stays, so that it can be banned again and again.
        room.adapter.isFinal = true
        room.say("!gif party", id: "$1")
        for _ in 0..<40 { room.say("!gif ban", by: "olga", isOperator: true) }
        await room.bot.waitUntilIdle()
        #expect(room.bot.record.changes.count == 1 && room.bot.record.entries.count == 1)
        for number in 0..<40 {
            room.search.pages["many \(number)"] = page(gif("m\(number)"))
            room.say("!gif many \(number)")
            room.say("!gif ban", by: "olga", isOperator: true)
        }
        await room.bot.waitUntilIdle()
        #expect(room.bot.record.changes.count == 30 && room.bot.record.entries.count == 30)
        room.say("!gif ban", by: "alice", isAdmin: true)
        await room.bot.waitUntilIdle()
        #expect(room.bot.record.changes.count == 31)
    }

    @Test("The asker's mark undoes for ten minutes, an operator's always")
    func markTime() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.clock.advance(by: .minutes(10))
        room.change(.reacted(.undo), "$1")
        #expect(room.adapter.retracted.isEmpty && room.adapter.notices == [Sentences.nothingToUndo])
        room.change(.reacted(.undo), "$1", by: "olga", isOperator: true)
        #expect(room.adapter.retracted == [AnswerID("$1")])
    }

    @Test("Marks of the asker and of operators page and undo in place; those of others do nothing")
    func marks() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.change(.reacted(.next), "$1", by: "bo")
        #expect(room.adapter.revised.isEmpty)
        room.change(.reacted(.next), "$1")
        room.change(.reacted(.next), "$1", by: "olga", isOperator: true)
        room.change(.reacted(.previous), "$1")
        #expect(room.adapter.revised.map { $0.url?.suffix(5) } == ["b.gif", "c.gif", "b.gif"])
        #expect(room.adapter.revised.allSatisfy { $0.id == AnswerID("$1") } && room.adapter.sent.count == 1)
        room.change(.reacted(.undo), "$1", by: "bo")
        #expect(room.adapter.retracted.isEmpty)
        room.change(.reacted(.undo), "$1")
        #expect(room.adapter.retracted == [AnswerID("$1")])
    }

    @Test("A mark past either end of a search leaves the GIF where it is, and a word of it at most")
    func marksPastTheEnd() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.change(.reacted(.previous), "$1")
        #expect(room.adapter.revised.isEmpty && room.adapter.notices == [Sentences.firstResult])
        for _ in 0..<3 { room.change(.reacted(.next), "$1") }
        #expect(room.adapter.revised.map { $0.url?.suffix(5) } == ["b.gif", "c.gif"])
        #expect(room.adapter.notices.last == Sentences.lastResult)
        room.change(.reacted(.previous), "$1")
        #expect(room.adapter.revised.last?.url?.suffix(5) == "b.gif")
        room.change(.reacted(.undo), "$1")
        #expect(room.adapter.retracted == [AnswerID("$1")])
    }

    @Test("After a restart the adapter knows whose answer it was")
    func markAfterRestart() {
        let room = room()
        room.change(.reacted(.undo), "$0")
        room.change(.reacted(.undo), "$0", isByAsker: false)
        room.change(.reacted(.next), "$0", isByAsker: true)
        #expect(room.adapter.retracted.isEmpty)
        room.change(.reacted(.undo), "$0", isByAsker: true)
        #expect(room.adapter.retracted == [AnswerID("$0")] && room.adapter.revised.isEmpty)
        // For ten minutes, as before it; an operator always.
        room.change(.reacted(.undo), "$5", isByAsker: true, answerAge: .minutes(10))
        #expect(room.adapter.retracted.count == 1 && room.adapter.notices == [Sentences.nothingToUndo])
        room.change(.reacted(.undo), "$5", by: "olga", isOperator: true, answerAge: .minutes(10))
        room.change(.reacted(.undo), "$6", isByAsker: true, answerAge: .minutes(9))
        #expect(room.adapter.retracted == [AnswerID("$0"), AnswerID("$5"), AnswerID("$6")])
        // What the bot knows itself counts more.
        room.say("!gif party", by: "bo", id: "$1")
        room.change(.reacted(.undo), "$1", isByAsker: true)
        #expect(room.adapter.retracted.count == 3)
    }

    @Test("Where an answer can't be changed, a mark posts the next one anew")
    func marksAnew() {
        let room = room()
        room.adapter.isFinal = true
        room.say("!gif party", id: "$1")
        room.change(.reacted(.next), "$1")
        #expect(room.adapter.answers.count == 2)
    }
}

@Loop @Suite struct EditTests {
    private func room() -> Room {
        let room = Room { $0.dropLimits() }
        room.search.pages["owl"] = page(gif("o"))
        room.search.pages["fox"] = page(gif("f"))
        return room
    }

    @Test(
        "BUG-04: an edit changes the answer in place, once it was quiet for 1.5 s; delivered twice it changes nothing more"
    )
    func inPlace() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.change(.edited, "$1", "!gif owl")
        room.clock.advance(by: .seconds(1))
        room.change(.edited, "$1", "!gif fox")
        room.clock.advance(by: .seconds(1))
        #expect(room.adapter.revised.isEmpty)
        room.clock.advance(by: .milliseconds(500))
        #expect(room.adapter.revised.map { $0.url?.suffix(5) } == ["f.gif"])
        #expect(room.adapter.revised.first?.id == AnswerID("$1"))
        room.change(.edited, "$1", "!gif fox")
        room.clock.advance(by: .seconds(2))
        #expect(room.adapter.revised.count == 1 && room.adapter.sent.count == 1)
    }

    @Test("An edit by somebody else, of a plain message, or into none of a command does nothing")
    func nothing() {
        let room = room()
        room.say("!gif party", id: "$1")
        room.say("hello", id: "$2")
        room.change(.edited, "$1", "!gif owl", by: "bo")
        room.change(.edited, "$2", "!gif owl")
        room.clock.advance(by: .seconds(2))
        for text in ["never mind", "!gif  PARTY", "!gif undo", "!gif help"] {
            room.change(.edited, "$1", text)
            room.clock.advance(by: .seconds(2))
        }
        #expect(room.adapter.revised.isEmpty && room.adapter.retracted.isEmpty && room.adapter.sent.count == 1)
        // The last word within the quiet time is none.
        room.change(.edited, "$1", "!gif owl")
        room.change(.edited, "$1", "!gif party")
        room.clock.advance(by: .seconds(2))
        #expect(room.adapter.revised.isEmpty)
    }

    @Test("Nothing found is changed into what is found, and the other way round")
    func notices() async {
        let room = room()
        room.say("!gif owll", id: "$1")
        await room.finish(.failure(.nothingFound))
        room.change(.edited, "$1", "!gif owl")
        room.clock.advance(by: .seconds(2))
        #expect(room.adapter.revised.map(\.kind) == [.answer])
        room.change(.edited, "$1", "!gif owlll")
        room.clock.advance(by: .seconds(2))
        await room.finish(.failure(.nothingFound))
        #expect(room.adapter.revised.map(\.text).last == Sentences.nothingFound && room.adapter.sent.count == 1)
    }

    @Test("An edit while the first search runs: one answer, to the last words")
    func whileSearching() async {
        let room = room()
        room.say("!gif slow", id: "$1")
        room.change(.edited, "$1", "!gif owl")
        room.clock.advance(by: .seconds(2))
        await room.finish(.success(page(gif("s"))))
        #expect(room.adapter.answers.map { $0.url?.suffix(5) } == ["o.gif"] && room.adapter.revised.isEmpty)
    }

    @Test("An edit before there is an answer costs a quarter too")
    func costBeforeAnswer() async {
        let room = Room {
            $0.dropLimits()
            $0.limits.user = limit("2/1h")
        }
        room.say("!gif slow", id: "$1")
        for number in 0..<4 {
            room.change(.edited, "$1", "!gif slow \(number)")
            room.clock.advance(by: .milliseconds(1500))
        }
        #expect(room.bot.counts.refusals == 0)
        await room.finish(.success(page(gif("s"))))
        #expect(room.adapter.answers.count == 1)
    }

    @Test("What a withdrawn command was charged comes back when no source could answer it, and else not")
    func withdrawnCharge() async {
        for (result, isGivenBack) in [
            (Result<SearchPage, SearchFailure>.failure(.sourcesDown(retryIn: nil)), true),
            (.failure(.nothingFound), false),
            (.success(page(gif("s"))), false),
        ] {
            let room = Room {
                $0.dropLimits()
                $0.limits.user = limit("1/1h")
            }
            room.say("!gif slow", id: "$1")
            room.change(.redacted, "$1")
            await room.finish(result)
            room.say("!gif party")
            #expect(room.adapter.answers.count == (isGivenBack ? 1 : 0), "\(result)")
        }
    }

    @Test("An edit that a limit refused may be made again later")
    func refusedEdit() {
        let room = Room {
            $0.dropLimits()
            $0.limits.user = limit("1/1m")
        }
        room.search.pages["owl"] = page(gif("o"))
        room.say("!gif party", id: "$1")
        room.change(.edited, "$1", "!gif owl")
        room.clock.advance(by: .milliseconds(1500))
        #expect(room.adapter.revised.isEmpty && room.bot.counts.refusals == 1)
        room.clock.advance(by: .minutes(1))
        room.change(.edited, "$1", "!gif owl")
        room.clock.advance(by: .milliseconds(1500))
        #expect(room.adapter.revised.map { $0.url?.suffix(5) } == ["o.gif"])
    }

    @Test("An edit that a limit refuses leaves the running search alone", arguments: [false, true], [false, true])
    func refusedEditWhileSearching(owesWriting: Bool, isPublic: Bool) async {
        let room = Room {
            $0.dropLimits()
            $0.limits.user = limit("1/1h")
        }
        room.adapter.isPublic = isPublic
        room.search.pages["owl"] = page(gif("o"))
        room.say("!gif slow", id: "$1")
        room.store.owesWriting = owesWriting
        room.change(.edited, "$1", "!gif owl")
        room.clock.advance(by: .milliseconds(1500))
        await room.finish(.success(page(gif("s"))))
        #expect(room.bot.counts.refusals == 1)
        #expect(room.adapter.answers.map { $0.url?.suffix(5) } == ["s.gif"] && room.adapter.revised.isEmpty)
        // The answer stands under the command's id, whatever was said of the edit.
        room.change(.redacted, "$1")
        #expect(room.adapter.retracted == [AnswerID("$1")])
    }

    @Test("An edit for which there is no room leaves the running search alone, and may be made again")
    func shedEdit() async {
        let room = room()
        room.say("!gif slow", id: "$1")
        for number in 1..<Bot.capacity { room.say("!gif slow", in: "#\(number)") }
        room.change(.edited, "$1", "!gif slower")
        room.clock.advance(by: .milliseconds(1500))
        #expect(room.bot.counts.shed == 1 && room.adapter.notices == [Sentences.busy])
        await room.finish(.success(page(gif("s"))))
        #expect(room.adapter.answers.count == Bot.capacity && room.adapter.answers.contains { $0.id == AnswerID("$1") })
        room.change(.edited, "$1", "!gif slower")
        room.clock.advance(by: .milliseconds(1500))
        await room.finish(.success(page(gif("t"))))
        #expect(room.adapter.revised.map { $0.url?.suffix(5) } == ["t.gif"])
    }

    @Test("An edit waits for its note on disk: what was answered meanwhile is changed, what was taken back stays so")
    func editThatWaits() async {
        for isTakenBack in [false, true] {
            let room = room()
            room.say("!gif slow", id: "$1")
            room.store.owesWriting = true
            room.change(.edited, "$1", "!gif owl")
            // The note takes a turn of the loop, in which the first search ends.
            room.search.result = .success(page(gif("s")))
            room.clock.advance(by: .milliseconds(1500))
            room.search.finish(.success(page(gif("s"))))
            if isTakenBack { room.change(.redacted, "$1") }
            await room.bot.waitUntilIdle()
            if isTakenBack {
                #expect(room.adapter.sent.isEmpty && room.adapter.revised.isEmpty)
            } else {
                let shown = (room.adapter.answers + room.adapter.revised).map { $0.url?.suffix(5) }
                #expect(shown.last == "o.gif" && room.adapter.answers.count == 1, "\(shown)")
            }
        }
    }

    @Test("An edit costs a quarter, and a redaction ends it")
    func cost() {
        let room = Room {
            $0.dropLimits()
            $0.limits.user = limit("1/1m burst 2")
        }
        room.search.pages["owl"] = page(gif("o"))
        room.say("!gif party", id: "$1")
        for number in 0..<5 {
            room.change(.edited, "$1", number.isMultiple(of: 2) ? "!gif owl" : "!gif party")
            room.clock.advance(by: .milliseconds(1500))
        }
        #expect(room.adapter.revised.count == 4 && room.bot.counts.refusals == 1)
        room.change(.edited, "$1", "!gif party")
        room.change(.redacted, "$1")
        room.clock.advance(by: .minutes(2))
        #expect(room.adapter.revised.count == 4 && room.adapter.retracted == [AnswerID("$1")])
    }
}
