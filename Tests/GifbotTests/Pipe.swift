import Foundation

/// A pipe whose reader comes late, or never.
final class Pipe {
    let writing: Int32
    private let readingEnd: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CocoaError(.fileWriteUnknown) }
        (readingEnd, writing) = (ends[0], ends[1])
    }

    func closeWriting() { close(writing) }
    func closeReading() { close(readingEnd) }

    /// Ends the writing, and gives what was written.
    func readAll() -> String {
        closeWriting()
        return reading().text()
    }

    /// Begins to read on a thread of its own.
    func reading() -> Reader { Reader(readingEnd) }

    final class Reader: Sendable {
        private let thread: DispatchQueue
        private let done = DispatchSemaphore(value: 0)
        private final class Kept: @unchecked Sendable {
            // Written by the one reading thread before the semaphore is signalled, read after it was waited for.
            var bytes = Data()
        }
        private let kept = Kept()

        init(_ descriptor: Int32) {
            thread = DispatchQueue(label: "reader")
            thread.async { [kept, done] in
                var chunk = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = read(descriptor, &chunk, chunk.count), count > 0 {
                    kept.bytes.append(contentsOf: chunk[..<count])
                }
                close(descriptor)
                done.signal()
            }
        }

        func text() -> String {
            done.wait()
            return String(decoding: kept.bytes, as: UTF8.self)
        }

        func lines() -> [String] { text().split(separator: "\n").map(String.init) }
    }
}
