import Testing

@testable import Matrix

private let start = ContinuousClock.Instant.now

@Suite struct HandoverTests {
    @Test("The position moves when every command so far is finished and its events are sent")
    func settles() {
        var handover = Handover()
        handover.received(position: "s1", now: start)
        #expect(handover.advance(now: start) == "s1")
        handover.received(position: "s2", now: start)
        handover.began("$1")
        handover.began("$2")
        handover.received(position: "s3", now: start)
        #expect(handover.advance(now: start) == nil)
        handover.queued("$1")
        handover.queued("$1")
        let first = [handover.settled("$1"), handover.finished("$1"), handover.settled("$1")]
        #expect(first == [false, false, true])
        #expect(handover.advance(now: start) == nil)
        #expect(handover.finished("$2") == true)
        #expect(handover.advance(now: start) == "s3")
        #expect(handover.finished("$2") == false)
        #expect(handover.settled("$1") == false)
        #expect(handover.advance(now: start) == nil)
    }

    @Test("What takes back an answer of long ago holds the position of the batch that said so")
    func late() {
        var handover = Handover()
        handover.received(position: "s1", now: start)
        handover.queued("$old")
        #expect(handover.advance(now: start) == nil)
        #expect(handover.settled("$old") == true)
        #expect(handover.advance(now: start) == "s1")
    }

    @Test("A command whose reply was thrown away holds nothing back, and isn't done with")
    func abandoned() {
        var handover = Handover()
        handover.received(position: "s1", now: start)
        for command in ["$1", "$2"] {
            handover.began(command)
            handover.queued(command)
        }
        #expect(handover.finished("$1") == false)
        handover.abandoned("$1")
        handover.abandoned("$2")
        #expect(handover.advance(now: start) == nil)
        #expect(handover.finished("$2") == false)
        #expect(handover.advance(now: start) == "s1")
    }

    @Test("A later command holds only later positions")
    func order() {
        var handover = Handover()
        for number in 1...3 {
            handover.received(position: "s\(number)", now: start)
            handover.began("$\(number)")
        }
        #expect(handover.finished("$2") == true)
        #expect(handover.advance(now: start) == nil)
        #expect(handover.finished("$1") == true)
        #expect(handover.advance(now: start) == "s2")
    }

    @Test("A command begun again, for an edit, is done when all of it is")
    func again() {
        var handover = Handover()
        handover.received(position: "s1", now: start)
        handover.began("$1")
        handover.began("$1")
        #expect(handover.finished("$1") == false)
        #expect(handover.finished("$1") == true)
        #expect(handover.advance(now: start) == "s1")
    }

    @Test("A command without an end holds the position for a while")
    func patience() {
        var handover = Handover()
        handover.received(position: "s1", now: start)
        handover.began("$1")
        handover.received(position: "s2", now: start + .seconds(1))
        handover.began("$2")
        #expect(handover.advance(now: start + Handover.patience - .seconds(1)) == nil)
        #expect(handover.advance(now: start + Handover.patience) == "s1")
        // It is known all the same when it ends late.
        #expect(handover.finished("$1") == true)
        #expect(handover.finished("$2") == true)
        #expect(handover.advance(now: start + Handover.patience) == "s2")
    }

    @Test("Batches without a command leave nothing behind, and commands have a bound")
    func bound() {
        var handover = Handover()
        handover.received(position: "s", now: start)
        handover.began("$")
        for number in 0..<10_000 { handover.received(position: "s\(number)", now: start) }
        #expect(handover.finished("$") == true)
        #expect(handover.advance(now: start) == "s9999")
        for number in 0..<10_000 {
            handover.received(position: "s\(number)", now: start)
            handover.began("$\(number)")
        }
        #expect(handover.advance(now: start) == "s\(9999 - Handover.capacity)")
        #expect(handover.finished("$9999") == true)
        #expect(handover.finished("$1") == false)
    }
}
