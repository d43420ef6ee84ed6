public import Base
import CLinux
import Glibc

/// Signals as events on the loop. They are blocked first, in the only thread there is; threads made later inherit
/// that, so that none is ever killed by one.
@Loop public final class SignalWatcher {
    private let descriptor: Int32
    private let loop: EventLoop
    private var registration: Registration?

    /// Must come before the first thread is started.
    public nonisolated static func block(_ signals: [Int32]) {
        var set = signalSet(signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls the handler of each signal that arrives, on the loop; several of a kind may arrive as one.
    public init(_ handlers: [Int32: @Loop () -> Void], on loop: EventLoop) throws(NetError) {
        var set = signalSet(Array(handlers.keys))
        let descriptor = try Syscalls.signals(&set)
        self.descriptor = descriptor
        self.loop = loop
        do {
            registration = try loop.watch(descriptor, for: .read) { _ in
                for number in Self.pending(descriptor) { handlers[number]?() }
            }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
    }

    public func cancel() {
        guard let registration else { return }
        loop.unwatch(registration)
        Syscalls.close(descriptor)
        self.registration = nil
    }

    private static func pending(_ descriptor: Int32) -> [Int32] {
        var found: [Int32] = []
        var info = signalfd_siginfo()
        while case .bytes(MemoryLayout<signalfd_siginfo>.size) = withUnsafeMutableBytes(
            of: &info, { Syscalls.read(descriptor, into: $0) })
        {
            found.append(Int32(info.ssi_signo))
        }
        return found
    }
}

private func signalSet(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
}
