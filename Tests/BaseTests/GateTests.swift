import Base
import TestSupport
import Testing

/// Someone who waits at a gate in a task of their own.
@Loop private final class Waiter {
    let clock = ManualClock()
    let gate: Gate
    private(set) var isBack = false
    private var task: Task<Void, Never>?

    init() { gate = Gate(clock: clock) }

    func start(by wait: Duration?) {
        let deadline = wait.map(clock.now.advanced(by:))
        task = Loop.start {
            await self.gate.wait(by: deadline)
            self.isBack = true
        }
    }

    func cancel() { task?.cancel() }

    /// Lets everything run that is queued on the loop, and what that queues.
    func settle() async {
        for _ in 0..<50 { await Task.yield() }
    }
}

@Suite @Loop struct GateTests {
    @Test("Whoever waits goes on when the gate is opened, and its timer is gone")
    func opened() async {
        let waiter = Waiter()
        waiter.start(by: .seconds(10))
        await waiter.settle()
        #expect(!waiter.isBack)
        waiter.gate.open()
        await waiter.settle()
        #expect(waiter.isBack)
        #expect(waiter.clock.nextDue == nil)
    }

    @Test("A gate that was opened before holds nobody")
    func openBefore() async {
        let waiter = Waiter()
        waiter.gate.open()
        waiter.start(by: .seconds(10))
        await waiter.settle()
        #expect(waiter.isBack)
        #expect(waiter.clock.nextDue == nil)
    }

    @Test("Whoever waits goes on at the deadline, not before")
    func deadline() async {
        let waiter = Waiter()
        waiter.start(by: .seconds(10))
        await waiter.settle()
        waiter.clock.advance(by: .milliseconds(9_999))
        await waiter.settle()
        #expect(!waiter.isBack)
        waiter.clock.advance(by: .milliseconds(1))
        await waiter.settle()
        #expect(waiter.isBack)
    }

    @Test("Cancelled while it waits, a task goes on at once", arguments: [nil, Duration.seconds(10)])
    func cancelled(by deadline: Duration?) async {
        let waiter = Waiter()
        waiter.start(by: deadline)
        await waiter.settle()
        #expect(!waiter.isBack)
        waiter.cancel()
        await waiter.settle()
        #expect(waiter.isBack)
        #expect(waiter.clock.nextDue == nil)
        waiter.gate.open()
    }

    @Test("Cancelled before it waits, a task isn't held")
    func cancelledBefore() async {
        let waiter = Waiter()
        waiter.start(by: nil)
        waiter.cancel()
        await waiter.settle()
        #expect(waiter.isBack)
    }

    @Test("A sleep ends early when its task is cancelled")
    func sleep() async {
        let clock = ManualClock()
        let task = Loop.start { await clock.sleep(for: .seconds(10)) }
        for _ in 0..<50 { await Task.yield() }
        #expect(clock.nextDue != nil)
        task.cancel()
        await task.value
        #expect(clock.nextDue == nil)
    }
}
