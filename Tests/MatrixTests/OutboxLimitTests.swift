import HTTP
import Testing

@testable import Matrix

private let start = ContinuousClock.now

private func item(_ number: Int, room: String) -> OutgoingEvent {
    OutgoingEvent(
        room: room, type: "m.room.message", transactionID: "t\(number)", content: [], answers: "$\(number)")
}

private func limited(_ wait: Duration?) -> MatrixError {
    .refused(.init(status: 429, code: "M_LIMIT_EXCEEDED", text: "", retryAfter: wait, isSoftLogout: false))
}

@Suite struct OutboxLimitTests {
    @Test("An account's limit is shared: one event at a time, the rooms in turn, until each has sent something")
    func fair() {
        var outbox = Outbox()
        let rooms = ["!a", "!b", "!c"]
        for number in 0..<6 { _ = outbox.add(item(number, room: rooms[number % 3]), now: start) }
        for event in outbox.due(now: start).send {
            #expect(outbox.failed(event, limited(.seconds(5)), now: start) == .retry(after: .seconds(5)))
        }
        #expect(rooms.allSatisfy(outbox.isLimited) && outbox.isLimited("!d"))
        #expect(outbox.due(now: start + .seconds(4)).send.isEmpty)
        #expect(outbox.nextDeadline == start + .seconds(5))
        // A room that comes later takes its turn, behind the others.
        _ = outbox.add(item(9, room: "!d"), now: start + .seconds(4))
        var now = start + .seconds(5)
        var sent: [String] = []
        for _ in 0..<3 {
            let due = outbox.due(now: now).send
            #expect(due.count == 1 && outbox.due(now: now).send.isEmpty)
            guard let event = due.first else { return }
            outbox.sent(event)
            sent.append(event.room)
            // The account may send one in five seconds: the next is told to wait again.
            guard outbox.isLimited("!x"), let next = outbox.due(now: now).send.first else { continue }
            #expect(outbox.failed(next, limited(.seconds(5)), now: now) == .retry(after: .seconds(5)))
            now += .seconds(5)
        }
        #expect(sent == ["!a", "!b", "!c"])
        #expect(outbox.due(now: now).send.map(\.room) == ["!d", "!a", "!b", "!c"])
    }

    @Test("When every limited room has sent, all may send at once again")
    func over() {
        var outbox = Outbox()
        for (number, room) in ["!a", "!b"].enumerated() { _ = outbox.add(item(number, room: room), now: start) }
        for event in outbox.due(now: start).send { _ = outbox.failed(event, limited(.seconds(1)), now: start) }
        let now = start + .seconds(1)
        for _ in 0..<2 { for event in outbox.due(now: now).send { outbox.sent(event) } }
        #expect(outbox.isEmpty && !outbox.isLimited("!a"))
        for (number, room) in ["!a", "!b"].enumerated() { _ = outbox.add(item(number, room: room), now: now) }
        #expect(outbox.due(now: now).send.count == 2)
    }

    @Test("BUG-16: a wait longer than an answer is good for counts as given up")
    func hugeWait() {
        var outbox = Outbox()
        _ = outbox.add(item(1, room: "!a"), now: start)
        _ = outbox.due(now: start)
        #expect(outbox.failed(item(1, room: "!a"), limited(.seconds(9000)), now: start) == .dropped)
        #expect(outbox.isEmpty && !outbox.isLimited("!a"))
    }

    @Test("What the server hasn't got can be withdrawn; what was tried may have arrived")
    func withdraw() {
        var outbox = Outbox()
        for number in 1...3 { _ = outbox.add(item(number, room: "!a"), now: start) }
        _ = outbox.due(now: start)
        #expect(outbox.place(of: "t1", in: "!a") == .tried && outbox.place(of: "t2", in: "!a") == .waiting)
        #expect(outbox.place(of: "t9", in: "!a") == nil && outbox.place(of: "t1", in: "!b") == nil)
        #expect(outbox.withdraw("t1", in: "!a") == nil)
        #expect(outbox.withdraw("t2", in: "!a") == item(2, room: "!a"))
        #expect(outbox.failed(item(1, room: "!a"), .transport(.timedOut(host: "x")), now: start) != .dropped)
        #expect(outbox.place(of: "t1", in: "!a") == .tried && outbox.withdraw("t1", in: "!a") == nil)
        // A limit that comes after a try that broke off changes nothing about that.
        #expect(outbox.due(now: start + .seconds(1)).send == [item(1, room: "!a")])
        #expect(outbox.failed(item(1, room: "!a"), limited(.seconds(1)), now: start + .seconds(1)) != .dropped)
        #expect(outbox.due(now: start + .seconds(3)).send == [item(1, room: "!a")])
        outbox.prepares(item(1, room: "!a"))
        #expect(outbox.withdraw("t1", in: "!a") == nil)
        #expect(outbox.redacted("$1", in: "!a").isEmpty)
        #expect(outbox.prepared(item(1, room: "!a")) == true)
        #expect(outbox.due(now: start + .seconds(3)).send == [item(1, room: "!a")])
        outbox.dropped(item(1, room: "!a"))
        #expect(outbox.due(now: start + .seconds(3)).send == [item(3, room: "!a")] && outbox.count == 1)
    }

    @Test("An answer that was refused for a limit alone can be withdrawn, and the next one waits as long")
    func withdrawLimited() {
        var outbox = Outbox()
        for number in 1...2 { _ = outbox.add(item(number, room: "!a"), now: start) }
        _ = outbox.due(now: start)
        _ = outbox.failed(item(1, room: "!a"), limited(.seconds(5)), now: start)
        #expect(outbox.place(of: "t1", in: "!a") == .waiting)
        #expect(outbox.withdraw("t1", in: "!a") == item(1, room: "!a"))
        #expect(outbox.due(now: start + .seconds(4)).send.isEmpty && outbox.nextDeadline == start + .seconds(5))
        #expect(outbox.due(now: start + .seconds(5)).send == [item(2, room: "!a")])
    }

    @Test("Rooms whose events aren't ready take no flight from others, however many, and go in their turn")
    func preparing() {
        var outbox = Outbox()
        let held = (0..<20).map { item($0, room: "!\($0)") }
        for event in held { _ = outbox.add(event, now: start) }
        var put: [OutgoingEvent] = []
        while true {
            let due = outbox.due(now: start).send
            if due.isEmpty { break }
            for event in due { outbox.prepares(event) }
            put += due
        }
        #expect(put == held && outbox.place(of: "t3", in: "!3") == .preparing)
        _ = outbox.add(item(99, room: "!free"), now: start)
        #expect(outbox.due(now: start).send == [item(99, room: "!free")])
        // Keys take as long as they take: that is the business of whoever prepares.
        #expect(outbox.due(now: start + .seconds(200)).givenUp.isEmpty && outbox.nextDeadline == nil)
        let answers = [held[7], held[7], item(99, room: "!free")].map { outbox.prepared($0) }
        #expect(answers == [true, false, false])
        #expect(outbox.place(of: "t7", in: "!7") == .waiting && outbox.due(now: start).send == [held[7]])
        // Taken back meanwhile.
        #expect(outbox.withdraw("t4", in: "!4") == held[4])
        #expect(outbox.prepared(held[4]) == false)
        #expect(outbox.redacted("$5", in: "!5") == [held[5]])
        #expect(outbox.left("!6") == [held[6]])
        outbox.sent(held[7])
        outbox.sent(item(99, room: "!free"))
        #expect(outbox.count == 16)
        outbox.dropped(held[8])
        #expect(outbox.count == 15)
    }

    @Test("While the account is limited, a room that prepares lets others go, and comes first when it is ready")
    func preparingLimited() {
        var outbox = Outbox()
        for (number, room) in ["!a", "!b", "!c"].enumerated() { _ = outbox.add(item(number, room: room), now: start) }
        for event in outbox.due(now: start).send { _ = outbox.failed(event, limited(.seconds(5)), now: start) }
        let now = start + .seconds(5)
        #expect(outbox.due(now: now).send == [item(0, room: "!a")])
        outbox.prepares(item(0, room: "!a"))
        #expect(outbox.due(now: now).send == [item(1, room: "!b")])
        #expect(outbox.prepared(item(0, room: "!a")) == true)
        #expect(outbox.due(now: now).send.isEmpty)
        outbox.sent(item(1, room: "!b"))
        #expect(outbox.due(now: now).send == [item(0, room: "!a")])
    }
}
