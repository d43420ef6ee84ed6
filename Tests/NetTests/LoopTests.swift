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

    @Test("a thousand tasks that wait and are resumed on the loop never go round by another thread")
    func fromInside() async {
        await #expect(processExitsWith: .success) {
            let outside = await Task(executorPreference: TestLoop.shared) { await thousandTasks() }.value
            guard outside == 0 else { fatalError("\(outside) jobs came from outside") }
        }
    }
}

/// How many jobs came from other threads meanwhile.
@Loop private func thousandTasks() async -> Int {
    let loop = TestLoop.shared
    let before = loop.enqueuedFromOutside
    for _ in 0..<1000 {
        let task = Loop.start {
            await withCheckedContinuation { continuation in
                loop.soon { continuation.resume() }
            }
            await loop.sleep(for: .zero)
        }
        await task.value
        await withCheckedContinuation { continuation in
            Loop.post { continuation.resume() }
        }
    }
    return loop.enqueuedFromOutside - before
}
