import Dispatch
import Synchronization

/// The one thread on which connections, bot, limiter and cache live, so that they call each other as plain
/// functions and need no locks.
///
/// The program installs its event loop before anything is isolated to `Loop`; without one a serial queue stands in.
@globalActor public actor Loop {
    public static let shared = Loop()

    public typealias Executor = SerialExecutor & TaskExecutor

    private static let maker = Mutex<(@Sendable () -> any Executor)?>(nil)

    /// The executor in force. The first use settles it for the life of the process.
    public static let executor: any Executor = maker.withLock { $0 }?() ?? QueueExecutor(label: "loop")

    /// Hands in the event loop. Must come before the first use of anything isolated to `Loop`.
    public static func install(_ executor: any Executor) {
        install { executor }
    }

    /// The same, made at the first use.
    public static func install(_ make: @escaping @Sendable () -> any Executor) {
        maker.withLock { $0 = make }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        Self.executor.asUnownedSerialExecutor()
    }

    /// Starts work that has to wait for something. It begins after the caller has returned to the loop, and each
    /// resumption comes straight back to the loop instead of going through the pool: without the preference a
    /// continuation resumes in the pool first, being isolated to the loop or not.
    ///
    /// (`Task.immediate` with a preference isn't immediate in Swift 6.3, and without one takes the way through the pool.)
    @Loop @discardableResult
    public static func start(_ work: @escaping @Loop @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor, operation: work)
    }

    /// Runs on the loop without waiting, from a thread that is already the loop's (a readiness callback, a timer).
    ///
    /// The standard library offers this for its own main actor alone; a global actor of one's own has to drop the isolation
    /// from the type. That is sound because it stands in the type only: an isolated function that doesn't suspend is a pointer
    /// and a context like any other, called in the same way, and hops nowhere, since its caller has to be there. The
    /// precondition says that it is. A compiler that changed this would break every `assumeIsolated` of this shape, the main
    /// actor's too.
    public static func assumed<T: Sendable>(_ body: @Loop () throws -> T) rethrows -> T {
        shared.preconditionIsolated()
        return try withoutActuallyEscaping(body) { escapable in
            try unsafeBitCast(escapable, to: (() throws -> T).self)()
        }
    }

    /// Queues a job for the loop from any thread.
    public nonisolated static func post(_ job: @escaping @Loop @Sendable () -> Void) {
        Task(executorPreference: executor) { @Loop in job() }
    }
}
