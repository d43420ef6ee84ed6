import Base
public import Glibc
public import Net

/// The loop of the test process.
///
/// All test targets are linked into one process, and whichever touches `Loop` first settles its executor for all. So
/// nobody has to think of it: a function in `.init_array` runs before `main` and installs a maker, and the first use of
/// `Loop`, from whatever target, gets an `EventLoop` that runs on a thread of its own until the process ends. A test
/// target needs only to depend on `TestSupport` (even one that never imports it gets the loop, being in the same
/// process). `@Loop` tests, `await`s into `Loop` and `Loop.post` work as with the program's own loop; what needs the
/// loop itself (`watch`, `ByteConnection`) takes `TestLoop.shared`.
///
/// A test must not block the loop: it is shared with all tests that run at the same time. A test that wants a loop for
/// itself makes an `EventLoop` and runs it on a thread; it can be the executor of an actor, but not of `Loop`.
public enum TestLoop {
    /// The executor of `Loop` in this process.
    public static let shared: EventLoop = {
        do {
            let loop = try EventLoop()
            runOnItsOwnThread(loop)
            return loop
        } catch {
            fatalError("no event loop for the tests: \(error)")
        }
    }()

    /// Starts a thread that ends when the loop is stopped.
    @discardableResult
    public static func runOnItsOwnThread(_ loop: EventLoop) -> pthread_t {
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<EventLoop>.fromOpaque(argument!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(loop).toOpaque())
        precondition(result == 0)
        return thread
    }
}

@section(".init_array") @used
private let installTestLoop: @convention(c) () -> Void = {
    Loop.install { TestLoop.shared }
}
