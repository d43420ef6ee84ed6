import Foundation
import Synchronization

/// Lines that another thread reads from a descriptor, kept in order and never taken away.
final class Transcript: Sendable {
    private struct State {
        var lines: [String] = []
        var isComplete = false
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }
    var count: Int { state.withLock { $0.lines.count } }
    var text: String { lines.joined(separator: "\n") }
    /// Nothing more will come.
    var isComplete: Bool { state.withLock { $0.isComplete } }

    func contains(_ part: String) -> Bool { lines.contains { $0.contains(part) } }

    func append(_ line: String) { state.withLock { $0.lines.append(line) } }

    /// Reads until the other side closes; `heard` sees each line after it was kept. The descriptor is the caller's.
    func follow(_ descriptor: Int32, _ heard: @escaping @Sendable (String) -> Void = { _ in }) {
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let got = read(descriptor, &buffer, buffer.count)
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { break }
                rest += buffer[..<got]
                while let end = rest.firstIndex(of: 0x0A) {
                    var line = rest[..<end]
                    if line.last == 0x0D { line.removeLast() }
                    let text = String(decoding: line, as: UTF8.self)
                    rest.removeSubrange(...end)
                    append(text)
                    heard(text)
                }
            }
            if !rest.isEmpty { append(String(decoding: rest, as: UTF8.self)) }
            state.withLock { $0.isComplete = true }
        }
    }
}
