import Base
import Dispatch
import Glibc

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

    /// Where the system gives no thread it is as if the input had ended.
    func start() {
        var thread = pthread_t()
        let input = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil, { Unmanaged<StandardInput>.fromOpaque($0!).takeRetainedValue().read() }, input.toOpaque())
        guard result == 0 else {
            input.release()
            let end = self.end
            return Loop.post { end() }
        }
        pthread_detach(thread)
    }

    private func read() -> UnsafeMutableRawPointer? {
        while let text = readLine(strippingNewline: true) {
            let taken = DispatchSemaphore(value: 0)
            let line = self.line
            Loop.post {
                line(String(text.prefix(Self.longestLine)))
                taken.signal()
            }
            taken.wait()
        }
        let end = self.end
        Loop.post { end() }
        return nil
    }
}
