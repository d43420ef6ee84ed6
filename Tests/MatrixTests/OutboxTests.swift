import HTTP
import Testing

@testable import Matrix

private let start = ContinuousClock.now

private func item(_ number: Int, room: String = "!a", answers: String? = nil) -> OutgoingEvent {
    OutgoingEvent(
        room: room, type: "m.room.message", transactionID: "t\(number)", content: [], answers: answers ?? "$\(number)")
}

private func limited(_ wait: Duration?) -> MatrixError {
    .refused(.init(status: 429, code: "M_LIMIT_EXCEEDED", text: "", retryAfter: wait, isSoftLogout: false))
}

private let forbidden = MatrixError.refused(
    .init(status: 403, code: "M_FORBIDDEN", text: "", retryAfter: nil, isSoftLogout: false))

@Suite struct OutboxTests {
    @Test("One queue a room, in order, one event in flight")
    func order() {
        var outbox = Outbox()
        for number in 1...3 { #expect(outbox.add(item(number), now: start) == true) }
        #expect(outbox.add(item(4, room: "!b"), now: start) == true)
        #expect(outbox.due(now: start).send == [item(1), item(4, room: "!b")])
        #expect(outbox.due(now: start).send.isEmpty)
        outbox.sent(item(1))
        #expect(outbox.due(now: start).send == [item(2)])
        outbox.sent(item(4, room: "!b"))
        outbox.sent(item(2))
        #expect(outbox.due(now: start).send == [item(3)])
        outbox.sent(item(3))
        #expect(outbox.isEmpty && outbox.nextDeadline == nil)
    }

    @Test("BUG-16: the time told is waited for, with the same event, and no other room is held up")
    func rateLimit() {
        var outbox = Outbox()
        _ = outbox.add(item(1), now: start)
        _ = outbox.due(now: start)
        #expect(outbox.failed(item(1), limited(.milliseconds(2500)), now: start) == .retry(after: .milliseconds(2500)))
        _ = outbox.add(item(2, room: "!b"), now: start)
        #expect(outbox.due(now: start).send == [item(2, room: "!b")])
        #expect(outbox.nextDeadline == start + .milliseconds(2500))
        #expect(outbox.due(now: start + .milliseconds(2499)).send.isEmpty)
        #expect(outbox.due(now: start + .milliseconds(2500)).send == [item(1)])
    }

    @Test("BUG-16: without a time the waits grow, and after five minutes the answer is given up")
    func growing() {
        var outbox = Outbox()
        var now = start
        _ = outbox.add(item(1), now: now)
        var waits: [Duration] = []
        while true {
            #expect(outbox.due(now: now).send == [item(1)])
            guard case .retry(let wait) = outbox.failed(item(1), limited(nil), now: now) else { break }
            waits.append(wait)
            now += wait
        }
        #expect(waits.prefix(4) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(waits.max() == Outbox.longestWait && now - start < .seconds(300))
        #expect(outbox.isEmpty)
    }

    @Test("BUG-16: a server that says at once, again and again, is waited for ever longer")
    func atOnce() {
        var outbox = Outbox()
        var now = start
        _ = outbox.add(item(1), now: now)
        var waits: [Duration] = []
        while true {
            #expect(outbox.due(now: now).send == [item(1)])
            guard case .retry(let wait) = outbox.failed(item(1), limited(.zero), now: now) else { break }
            waits.append(wait)
            now += wait
        }
        #expect(waits.prefix(3) == [.milliseconds(250), .milliseconds(500), .seconds(1)])
        #expect(waits.count < 14 && waits.max() == Outbox.longestWait && now - start > .seconds(200))
    }

    @Test("BUG-16: a huge wait is giving up; a refusal too")
    func givingUp() {
        var outbox = Outbox()
        for (number, error) in [limited(.seconds(9000)), forbidden].enumerated() {
            _ = outbox.add(item(number), now: start)
            _ = outbox.due(now: start)
            #expect(outbox.failed(item(number), error, now: start) == .dropped)
        }
        #expect(outbox.isEmpty)
    }

    @Test("What waited behind others for five minutes is stale")
    func stale() {
        var outbox = Outbox()
        _ = outbox.add(item(1), now: start)
        _ = outbox.add(item(2), now: start)
        outbox.pause()
        #expect(outbox.due(now: start).send.isEmpty)
        #expect(outbox.nextDeadline == start + .seconds(300))
        #expect(outbox.due(now: start + .seconds(300)).givenUp == [item(1), item(2)])
        #expect(outbox.isEmpty)
    }

    @Test("BUG-04: what answers a redacted command is dropped while it waits")
    func redaction() {
        var outbox = Outbox()
        _ = outbox.add(item(1, answers: "$a"), now: start)
        _ = outbox.add(item(2, answers: "$a"), now: start)
        _ = outbox.add(item(3, answers: "$b"), now: start)
        _ = outbox.due(now: start)
        #expect(outbox.redacted("$a", in: "!a") == [item(2, answers: "$a")])
        outbox.sent(item(1, answers: "$a"))
        #expect(outbox.due(now: start).send == [item(3, answers: "$b")])
    }

    @Test("BUG-04: what may have arrived is sent once more, so that it can be taken back; what was refused isn't")
    func redactionOfTried() {
        let lost = MatrixError.transport(.timedOut(host: "x"))
        for (error, isKept) in [(lost, true), (limited(.seconds(1)), false)] {
            var outbox = Outbox()
            _ = outbox.add(item(1, answers: "$a"), now: start)
            _ = outbox.add(item(2, answers: "$a"), now: start)
            _ = outbox.due(now: start)
            #expect(outbox.failed(item(1, answers: "$a"), error, now: start) == .retry(after: .seconds(1)))
            let dropped = outbox.redacted("$a", in: "!a").map(\.transactionID)
            #expect(dropped == (isKept ? ["t2"] : ["t1", "t2"]))
            #expect(outbox.due(now: start + .seconds(1)).send == (isKept ? [item(1, answers: "$a")] : []))
        }
    }

    @Test("Emptied as a whole: all of it is told, and it can be used again")
    func clear() {
        var outbox = Outbox(patience: .seconds(7))
        for number in 1...2 { _ = outbox.add(item(number), now: start) }
        _ = outbox.add(item(3, room: "!b"), now: start)
        _ = outbox.due(now: start)
        outbox.pause()
        #expect(outbox.clear() == [item(1), item(2), item(3, room: "!b")])
        #expect(outbox.isEmpty && outbox.nextDeadline == nil && !outbox.isPaused && outbox.patience == .seconds(7))
        _ = outbox.add(item(4), now: start)
        #expect(outbox.due(now: start).send == [item(4)])
    }

    @Test("BUG-18: leaving empties the queue, and the event in flight is forgotten")
    func left() {
        var outbox = Outbox()
        _ = outbox.add(item(1), now: start)
        _ = outbox.add(item(2), now: start)
        _ = outbox.due(now: start)
        #expect(outbox.left("!a") == [item(1), item(2)])
        #expect(outbox.failed(item(1), forbidden, now: start) == .forgotten)
        outbox.sent(item(1))
        #expect(outbox.isEmpty && outbox.nextDeadline == nil)
    }

    @Test func bounds() {
        var outbox = Outbox()
        for number in 0..<Outbox.perRoom { #expect(outbox.add(item(number), now: start) == true) }
        #expect(outbox.add(item(99), now: start) == false)
        var room = 0
        while outbox.count < Outbox.inAll {
            room += 1
            #expect(outbox.add(item(0, room: "!\(room)"), now: start) == true)
        }
        #expect(outbox.add(item(0, room: "!more"), now: start) == false)
        #expect(outbox.due(now: start).send.count == Outbox.inFlight)
    }

    @Test("The first reply to an event has the same transaction id in every run")
    func transactions() {
        var ids = TransactionIDs()
        #expect(ids.next(answering: "$a") == "gifbot.1.$a")
        #expect(ids.next(answering: "$a") == "gifbot.2.$a")
        #expect(ids.next(answering: "$b") == "gifbot.1.$b")
        for number in 0..<5000 { _ = ids.next(answering: "$\(number)") }
        var another = TransactionIDs()
        #expect(another.next(answering: "$a") == "gifbot.1.$a")
    }

    @Test("Ids are escaped in the path")
    func path() {
        let event = OutgoingEvent(
            room: "!a/b:x", type: "m.room.message", transactionID: "gifbot.1.$a/b+c", content: Array("{}".utf8),
            answers: "$a")
        let request = Homeserver(baseURL: "https://x", accessToken: "T").send(event)
        #expect(
            request.url
                == "https://x/_matrix/client/v3/rooms/%21a%2Fb%3Ax/send/m.room.message/gifbot.1.%24a%2Fb%2Bc")
        #expect(request.body == Array("{}".utf8))
    }
}
