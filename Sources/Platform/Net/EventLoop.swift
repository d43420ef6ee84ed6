public import Base
import CLinux
import Glibc
import Synchronization

/// The thread that runs everything isolated to `Loop`: jobs, timers and readiness of descriptors, over epoll.
///
/// A round runs what is queued, then what is due, then waits in epoll for no longer than the next timer, so an idle
/// loop costs nothing. Each part of a round is bounded so that none starves the others; queued jobs themselves can't
/// be refused (Swift would lose a task), their number is bounded by whoever starts tasks.
///
/// `@unchecked Sendable`: other threads reach only `inbox` (a mutex) and `thread` (an atomic). Everything else is
/// touched by the thread in `run()` alone: its own methods, and methods isolated to `Loop`, whose executor this is.
public final class EventLoop: SerialExecutor, TaskExecutor, LoopClock, @unchecked Sendable {
    public typealias Handler = @Loop (Readiness) -> Void

    private static let wakeUpToken: UInt64 = 0
    private static let jobsPerRound = 256
    private static let timersPerRound = 256
    private static let eventsPerRound = 128

    private struct Inbox {
        var jobs: [UnownedJob] = []
        /// The loop is in, or about to enter, a wait that only a wake-up ends.
        var isAsleep = false
        var stops = false
        var enqueued = 0
    }

    private let inbox = Mutex(Inbox())
    /// The `pthread_t` of the thread in `run()`; 0 when there is none.
    private let thread = Atomic<UInt>(0)
    private let epoll: Int32
    private let wakeUp: Int32
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: eventsPerRound)

    private var jobs: [UnownedJob] = []
    private var nextJob = 0
    private var soon: [@Loop () -> Void] = []
    private var timers = DeadlineHeap<@Loop () -> Void>()
    private var watches = WatchTable()

    public init() throws(NetError) {
        epoll = try Syscalls.epoll()
        do {
            wakeUp = try Syscalls.wakeUp()
        } catch {
            Syscalls.close(epoll)
            throw error
        }
        // Edge-triggered: each write wakes once, and the counter never needs to be read.
        try Syscalls.control(
            epoll, EPOLL_CTL_ADD, wakeUp, events: EPOLLIN.rawValue | EPOLLET.rawValue, token: Self.wakeUpToken)
    }

    deinit {
        Syscalls.close(wakeUp)
        Syscalls.close(epoll)
        events.deallocate()
    }

    // MARK: Running

    /// Runs on the calling thread until `stop()`. `first` runs before anything else; the loop must be installed if it
    /// is given.
    public func run(_ first: (@Loop () -> Void)? = nil) {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        if let first { soon.insert(first, at: 0) }
        while takeInbox() {
            runJobs()
            runSoon()
            runTimers()
            deliver(Syscalls.wait(epoll, events, timeout: timeout()))
        }
    }

    /// Ends `run()` after the present round; from any thread. What is queued stays undone.
    public func stop() {
        let wakes = inbox.withLock { inbox in
            inbox.stops = true
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if wakes { Syscalls.signalWakeUp(wakeUp) }
    }

    /// How many jobs came from other threads so far; a cached command must not add to it.
    package var enqueuedFromOutside: Int { inbox.withLock { $0.enqueued } }

    private var isOnThread: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// False when the loop is to end.
    private func takeInbox() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = false
            if !inbox.jobs.isEmpty {
                jobs.append(contentsOf: inbox.jobs)
                inbox.jobs.removeAll(keepingCapacity: true)
            }
            defer { inbox.stops = false }
            return !inbox.stops
        }
    }

    private func runJobs() {
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        var left = Self.jobsPerRound
        while nextJob < jobs.count, left > 0 {
            let job = jobs[nextJob]
            nextJob += 1
            left -= 1
            job.runSynchronously(isolatedTo: serial, taskExecutor: task)
        }
        if nextJob == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            nextJob = 0
        } else if nextJob > 4096 {
            jobs.removeFirst(nextJob)
            nextJob = 0
        }
    }

    private func runSoon() {
        guard !soon.isEmpty else { return }
        var batch: [@Loop () -> Void] = []
        swap(&batch, &soon)
        Loop.assumed { for action in batch { action() } }
    }

    private func runTimers() {
        guard timers.count > 0 else { return }
        let now = now
        var left = Self.timersPerRound
        while left > 0, let action = timers.popDue(now) {
            left -= 1
            Loop.assumed { action() }
        }
    }

    /// Milliseconds for epoll, rounded up so that a timer is due when the wait ends.
    private func timeout() -> Int32 {
        guard nextJob == jobs.count, soon.isEmpty else { return 0 }
        var timeout: Int32 = -1
        if let next = timers.next() {
            let wait = now.duration(to: next)
            guard wait > .zero else { return 0 }
            timeout = Int32(clamping: (wait + .nanoseconds(999_999)).milliseconds)
        }
        return inbox.withLock { inbox in
            guard inbox.jobs.isEmpty, !inbox.stops else { return 0 }
            inbox.isAsleep = true
            return timeout
        }
    }

    private func deliver(_ count: Int) {
        for index in 0..<count {
            let token = events[index].data.u64
            // A handler that ran before may have ended this registration: then it is not found any more.
            guard token != Self.wakeUpToken, let handler = watches.handler(Registration(token: token)) else { continue }
            let readiness = Readiness(events: events[index].events)
            Loop.assumed { handler(readiness) }
        }
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnThread {
            jobs.append(job)
            return
        }
        let wakes = inbox.withLock { inbox in
            inbox.jobs.append(job)
            inbox.enqueued += 1
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if wakes { Syscalls.signalWakeUp(wakeUp) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func checkIsolated() {
        precondition(isOnThread, "not on the event loop's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }

    // MARK: Time

    public var now: Instant { ContinuousClock.now }

    public var wall: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    @Loop public func schedule(at instant: Instant, _ action: @escaping @Loop () -> Void) -> TimerID {
        TimerID(number: timers.add(at: instant, action))
    }

    @Loop public func cancel(_ timer: TimerID) {
        timers.remove(timer.number)
    }

    /// Runs in the next round, after the caller has returned to the loop; a cheap way not to be re-entrant.
    @Loop public func soon(_ action: @escaping @Loop () -> Void) {
        soon.append(action)
    }

    // MARK: Descriptors

    /// Calls the handler whenever the descriptor is ready, again and again while it stays ready (level-triggered).
    /// The descriptor stays the caller's: `unwatch`, then close it.
    @Loop public func watch(
        _ descriptor: Int32, for interest: Interest, _ handler: @escaping Handler
    ) throws(NetError) -> Registration {
        let registration = watches.add(descriptor, handler)
        do {
            try Syscalls.control(
                epoll, EPOLL_CTL_ADD, descriptor, events: interest.events, token: registration.token)
        } catch {
            _ = watches.remove(registration)
            throw error
        }
        return registration
    }

    /// An ended registration is ignored.
    @Loop public func change(_ registration: Registration, to interest: Interest) throws(NetError) {
        guard let descriptor = watches.descriptor(registration) else { return }
        try Syscalls.control(epoll, EPOLL_CTL_MOD, descriptor, events: interest.events, token: registration.token)
    }

    /// The handler is not called again, not even for readiness already reported. May be called from a handler.
    @Loop public func unwatch(_ registration: Registration) {
        guard let descriptor = watches.remove(registration) else { return }
        Syscalls.remove(epoll, descriptor)
    }
}
