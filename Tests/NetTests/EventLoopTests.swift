import Base
import Glibc
import Net
import Synchronization
import TestSupport
import Testing

/// A variable that several handlers share.
@Loop private final class Box<Value> {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// An actor that lives on a loop of its own.
private actor Resident {
    nonisolated let loop: EventLoop
    private(set) var count = 0

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func add() { count += 1 }

    func thread() -> pthread_t {
        preconditionIsolated()
        return pthread_self()
    }

    /// How many jobs came from outside while many were started and resumed inside.
    func work() async -> Int {
        let before = loop.enqueuedFromOutside
        for _ in 0..<100 {
            await Task(executorPreference: loop) { await self.add() }.value
        }
        return loop.enqueuedFromOutside - before
    }
}

@Suite("Event loop", .timeLimit(.minutes(5)))
struct EventLoopTests {
    /// A loop on a thread of its own, for the time of the body.
    private func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result {
        let loop = try EventLoop()
        let thread = TestLoop.runOnItsOwnThread(loop)
        let result = try await body(loop)
        loop.stop()
        pthread_join(thread, nil)
        return result
    }

    @Test("an actor's jobs run on the loop's thread, whoever asks")
    func executor() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            let first = await resident.thread()
            let second = await Task.detached { await resident.thread() }.value
            #expect(first == second)
            #expect(first != pthread_self())
            #expect(loop.isIsolatingCurrentContext() == false)
        }
    }

    @Test("many jobs from many tasks are all run")
    func manyJobs() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            await withTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask {
                        for _ in 0..<20 { await resident.add() }
                    }
                }
            }
            #expect(await resident.count == 1000)
        }
    }

    @Test("a job enqueued on the loop's own thread is no wake-up from outside")
    func fromInside() async throws {
        try await withLoop { loop in
            let resident = Resident(loop)
            let outside = await Task(executorPreference: loop) { await resident.work() }.value
            #expect(outside == 0)
            #expect(await resident.count == 100)
            #expect(loop.enqueuedFromOutside > 0)
        }
    }

    @Test("a loop that was stopped before it ran ends at once")
    func stopFirst() throws {
        let loop = try EventLoop()
        loop.stop()
        loop.run()
    }

    @Test("timers run in order, not before their time; a cancelled one not at all")
    @Loop func timers() async {
        let loop = TestLoop.shared
        let start = loop.now
        var order: [Int] = []
        await withCheckedContinuation { continuation in
            _ = loop.schedule(at: start.advanced(by: .milliseconds(12))) {
                order.append(3)
                #expect(loop.now >= start.advanced(by: .milliseconds(12)))
                continuation.resume()
            }
            let never = loop.schedule(at: start.advanced(by: .milliseconds(3))) { order.append(0) }
            _ = loop.schedule(at: start.advanced(by: .milliseconds(6))) { order.append(2) }
            _ = loop.schedule(at: start) { order.append(1) }
            loop.cancel(never)
        }
        #expect(order == [1, 2, 3])
    }

    @Test("a timer may cancel another that is due in the same round")
    @Loop func cancelDue() async {
        let loop = TestLoop.shared
        var ran: [String] = []
        await withCheckedContinuation { continuation in
            let now = loop.now
            let second = Box<TimerID?>(nil)
            _ = loop.schedule(at: now) {
                ran.append("first")
                if let timer = second.value { loop.cancel(timer) }
            }
            second.value = loop.schedule(at: now) { ran.append("second") }
            _ = loop.schedule(at: now) { continuation.resume() }
        }
        #expect(ran == ["first"])
    }

    @Test("sleep ends with its time, and early when cancelled")
    @Loop func sleep() async {
        let loop = TestLoop.shared
        let start = loop.now
        await loop.sleep(for: .milliseconds(5))
        #expect(loop.now >= start.advanced(by: .milliseconds(5)))
        let task = Loop.start { await loop.sleep(for: .hours(1)) }
        task.cancel()
        await task.value
    }

    @Test("wall time is the system's")
    func wall() {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let wall = TestLoop.shared.wall.milliseconds
        #expect(wall >= Int64(time.tv_sec) * 1000 && wall < Int64(time.tv_sec) * 1000 + 60_000)
    }

    @Test("readiness is told again while it lasts, and not after the end")
    @Loop func levelTriggered() async throws {
        let loop = TestLoop.shared
        let pipe = try Pipe()
        pipe.write(3)
        var calls = 0
        var registration: Registration?
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                registration = try loop.watch(pipe.reading, for: .read) { readiness in
                    #expect(readiness == .readable)
                    calls += 1
                    if calls == 3, let registration {
                        loop.unwatch(registration)
                        loop.unwatch(registration)
                        continuation.resume()
                    }
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        await turn(loop)
        #expect(calls == 3)
        pipe.close()
    }

    @Test("a handler may end another registration and use its descriptor again; the old event is dropped")
    @Loop func generation() async throws {
        let loop = TestLoop.shared
        // Both are ready when epoll reports, so that both events are in one batch.
        let pipes = [try Pipe(), try Pipe()]
        let registrations = Box<[Registration]>([])
        var calls = [0, 0]
        var fresh: [Registration] = []
        var freshCalls = 0
        for (index, pipe) in pipes.enumerated() {
            pipe.write(1)
            let other = 1 - index
            registrations.value.append(
                try loop.watch(pipe.reading, for: .read) { _ in
                    calls[index] += 1
                    loop.unwatch(registrations.value[index])
                    loop.unwatch(registrations.value[other])
                    // The same descriptor and the same slot, watched for something that doesn't come.
                    guard let again = try? loop.watch(pipes[other].reading, for: [], { _ in freshCalls += 1 }) else {
                        Issue.record("cannot watch again")
                        return
                    }
                    fresh.append(again)
                })
        }
        await turn(loop)
        #expect(calls.reduce(0, +) == 1)
        #expect(fresh.count == 1)
        #expect(freshCalls == 0)
        fresh.forEach { loop.unwatch($0) }
        pipes.forEach { $0.close() }
    }

    @Test("write interest can be turned on and off; a hang-up is told as readable")
    @Loop func change() async throws {
        let loop = TestLoop.shared
        let pipe = try Pipe()
        var told: [Readiness] = []
        let registration = try loop.watch(pipe.writing, for: []) { told.append($0) }
        await turn(loop)
        #expect(told.isEmpty)
        try loop.change(registration, to: .write)
        await turn(loop)
        #expect(told.contains(.writable))
        loop.unwatch(registration)
        try loop.change(registration, to: .write)
        var hangUps: [Readiness] = []
        let reading = try loop.watch(pipe.reading, for: .read) { hangUps.append($0) }
        pipe.closeWriting()
        await turn(loop)
        #expect(hangUps.first?.contains(.readable) == true)
        loop.unwatch(reading)
        pipe.close()
    }

    @Test("a descriptor that can't be watched is an error, not a crash")
    @Loop func badDescriptor() {
        #expect(throws: NetError.system(call: "epoll_ctl", code: EBADF)) {
            _ = try TestLoop.shared.watch(100_000, for: .read) { _ in }
        }
    }

    @Test("BUG-31: without descriptors making a loop is an error, and works again later")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            do throws(NetError) {
                _ = try EventLoop()
                exit(1)
            } catch {
                guard error == .outOfDescriptors, error.description == "no file descriptors left" else { exit(2) }
            }
            limit.rlim_cur = before
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard (try? EventLoop()) != nil else { exit(3) }
        }
    }

    @Test("signals arrive as calls on the loop")
    @Loop func signals() async throws {
        // Blocked in the loop's thread alone, and raised there.
        SignalWatcher.block([SIGHUP, SIGUSR2])
        var got: [Int32] = []
        var watcher: SignalWatcher?
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                watcher = try SignalWatcher(
                    [
                        SIGHUP: { got.append(SIGHUP) },
                        SIGUSR2: {
                            got.append(SIGUSR2)
                            continuation.resume()
                        },
                    ], on: TestLoop.shared)
                raise(SIGHUP)
                raise(SIGUSR2)
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(got == [SIGHUP, SIGUSR2])
        watcher?.cancel()
        watcher?.cancel()
    }

    /// Lets the loop go round, twice, so that what epoll had to say has been said.
    @Loop private func turn(_ loop: EventLoop) async {
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                _ = loop.schedule(at: loop.now.advanced(by: .milliseconds(1))) { continuation.resume() }
            }
        }
    }
}

private final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32
    private let isWritingClosed = Mutex(false)

    init() throws {
        var ends: [Int32] = [0, 0]
        // Close-on-exec from the start: an exit test's child would keep the writing end open.
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        reading = ends[0]
        writing = ends[1]
    }

    func write(_ count: Int) {
        _ = Glibc.write(writing, [UInt8](repeating: 1, count: count), count)
    }

    func closeWriting() {
        isWritingClosed.withLock { closed in
            if !closed { Glibc.close(writing) }
            closed = true
        }
    }

    func close() {
        closeWriting()
        Glibc.close(reading)
    }
}
