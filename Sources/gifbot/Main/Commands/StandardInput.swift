import Base
import Glibc
import Synchronization

/// Reads standard input on a thread of its own, since a file or a terminal can't be polled like a socket. One line is
/// handed over at a time: the next is read when the loop has taken it, so that nothing piles up.
final class StandardInput: Sendable {
    private let line: @Loop @Sendable (String) -> Void
    private let end: @Loop @Sendable () -> Void

    /// Longer lines are cut: nobody types them.
    private static let longestLine = 4096

    init(line: @escaping @Loop @Sendable (String) -> Void, end: @escaping @Loop @Sendable () -> Void) {
        self.line = line
        self.end = end
    }

    func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(&thread, nil, { Unmanaged<StandardInput>.fromOpaque($0!).takeRetainedValue().read() }, context)
        pthread_detach(thread)
    }

    private func read() -> UnsafeMutableRawPointer? {
        while let text = readLine(strippingNewline: true) {
            let taken = Gate()
            let line = self.line
            Loop.post {
                line(String(text.prefix(Self.longestLine)))
                taken.open()
            }
            taken.wait()
        }
        let end = self.end
        Loop.post { end() }
        return nil
    }
}

/// Opened once from the loop, waited for on the reading thread.
private final class Gate: @unchecked Sendable {
    // A POSIX semaphore is made for use from several threads at once; its memory is stable because it is allocated
    // here and freed only in deinit, and both sides hold the gate while they use it.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }
    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }
    func open() { sem_post(semaphore) }
    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }
}
