import Base
import Glibc
import Net
import Synchronization

struct StartError: Error {
    let text: String
}

/// The loop on the main thread, with signals, from start to exit code.
@Loop final class RunningProgram {
    nonisolated let sink: StandardErrorLog
    let log: Log
    let loop: EventLoop
    /// Finishes what is in hand; called once.
    var onStop: (@Loop @Sendable () async -> Void)?
    var onReload: (@Loop () -> Void)?

    private var signals: SignalWatcher?
    private var isStopping = false
    /// Read by the main thread when the loop has ended.
    private nonisolated let exit = Mutex(Exit.asAsked)

    /// Ends the program if it can't even have a loop.
    nonisolated init(sink: StandardErrorLog) {
        self.sink = sink
        log = Log("gifbot", to: sink)
        do throws(NetError) {
            loop = try EventLoop()
        } catch {
            Output.error.write("gifbot: \(error)\n")
            Exit.failed.now()
        }
    }

    /// Runs until `stop`, or until a signal asks for it.
    nonisolated func run(_ start: @escaping @Loop @Sendable (RunningProgram) throws(StartError) -> Void) -> Exit {
        LargeBlocks.areGivenBack()
        signal(SIGPIPE, SIG_IGN)
        SignalWatcher.block([SIGTERM, SIGINT, SIGHUP])
        Loop.install(loop)
        Loop.post { self.begin(start) }
        loop.run()
        sink.finish()
        return exit.withLock { $0 }
    }

    private func begin(_ start: (RunningProgram) throws(StartError) -> Void) {
        do throws(NetError) {
            signals = try SignalWatcher(
                [
                    SIGTERM: { [weak self] in self?.stopAsked() },
                    SIGINT: { [weak self] in self?.stopAsked() },
                    SIGHUP: { [weak self] in self?.onReload?() },
                ], on: loop)
        } catch {
            return end(.failed, "\(error)")
        }
        do throws(StartError) {
            try start(self)
        } catch {
            end(.failed, error.text)
        }
    }

    private func end(_ exit: Exit, _ text: String) {
        fail(text, exit)
        loop.stop()
    }

    /// Says why, for the exit code at the end; the end itself is the caller's.
    func fail(_ text: String, _ exit: Exit = .failed) {
        Output.error.write("gifbot: \(text)\n")
        self.exit.withLock { $0 = exit }
    }

    /// The first time everything is finished in order; the second time at once.
    private func stopAsked() {
        guard !isStopping else {
            sink.finish(within: .milliseconds(200))
            Exit.failed.now()
        }
        log.info("stopping")
        stop()
    }

    func stop(_ exit: Exit = .asAsked) {
        guard !isStopping else { return }
        isStopping = true
        self.exit.withLock { $0 = exit }
        let finish = onStop
        Loop.start {
            await finish?()
            self.loop.stop()
        }
    }
}
