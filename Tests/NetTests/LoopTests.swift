import Base
import Glibc
import Net
import TestSupport
import Testing

@Suite("Loop over the event loop")
struct LoopTests {
    @Test("the event loop is the executor of Loop")
    func installed() {
        #expect(Loop.executor as AnyObject === TestLoop.shared)
    }

    @Test("start begins after the caller and comes back to the loop's thread")
    @Loop func start() async {
        let thread = pthread_self()
        var order: [String] = []
        let task = Loop.start {
            order.append("task")
            #expect(pthread_self() == thread)
            await Task.yield()
            order.append("resumed")
            #expect(pthread_self() == thread)
        }
        order.append("caller")
        await task.value
        #expect(order == ["caller", "task", "resumed"])
        #expect(pthread_self() == thread)
    }

    @Test("start works from a timer, where no task runs")
    @Loop func startFromTimer() async {
        let loop = TestLoop.shared
        var order: [String] = []
        await withCheckedContinuation { continuation in
            _ = loop.schedule(at: loop.now) {
                Loop.start {
                    order.append("task")
                    await Task.yield()
                    order.append("resumed")
                    continuation.resume()
                }
                order.append("timer")
            }
        }
        #expect(order == ["timer", "task", "resumed"])
    }

    @Test("assumed passes on the loop, in a task, a timer and a posted job")
    func assumed() async {
        await Task { @Loop in Loop.assumed {} }.value
        await withCheckedContinuation { continuation in
            Loop.post {
                Loop.assumed {
                    _ = TestLoop.shared.schedule(at: TestLoop.shared.now) {
                        Loop.assumed { continuation.resume() }
                    }
                }
            }
        }
    }

    @Test("assumed off the loop ends the process")
    func assumedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            Loop.assumed {}
        }
    }
}
