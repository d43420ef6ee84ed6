import Base
import Dispatch
import Glibc
import Synchronization

/// Lines to a descriptor that perhaps nobody reads. The caller never waits: what the descriptor doesn't take at once is
/// written by a thread of its own, in order, and what that can't hold either is dropped and counted.
final class ErrorOutput: Sendable {
    /// Bytes that may wait for the reader.
    static let capacity = 256 << 10
    /// What `poll` promises of a pipe (PIPE_BUF): a write of so much doesn't block once it is writable.
    private static let piece = 4096

    private struct State {
        var waiting: [[UInt8]] = []
        var bytes = 0
        var lost = 0
        /// The other thread is at work, so every line goes through it.
        var isRelieved = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "gifbot.log")
    private let relief = DispatchGroup()

    init(descriptor: Int32 = STDERR_FILENO) {
        self.descriptor = descriptor
    }

    func write(_ line: [UInt8]) {
        let begins = state.withLock { state -> Bool in
            if state.isRelieved {
                Self.keep(line, &state)
                return false
            }
            guard let rest = writeWhatFits(line) else { return false }
            Self.keep(rest, &state)
            state.isRelieved = true
            return true
        }
        guard begins else { return }
        queue.async(group: relief) { [self] in relieve() }
    }

    /// How many lines were dropped since this was last asked.
    func takeLost() -> Int {
        state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
    }

    /// Waits for what is still to be written, for at most so long: at the end of the program.
    func finish(within limit: Duration = .seconds(1)) {
        _ = relief.wait(timeout: .now() + .milliseconds(Int(limit.milliseconds)))
    }

    private static func keep(_ line: [UInt8], _ state: inout State) {
        guard state.bytes + line.count <= capacity else {
            state.lost += 1
            return
        }
        state.waiting.append(line)
        state.bytes += line.count
    }

    /// The rest that would have to wait; nil when all is written, or nothing can be written any more.
    private func writeWhatFits(_ line: [UInt8]) -> [UInt8]? {
        var rest = line[...]
        while !rest.isEmpty {
            // The descriptor is shared with whoever started the program, so it can't be made non-blocking.
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, 0) == 1 else { return Array(rest) }
            switch Self.write(rest.prefix(Self.piece), to: descriptor) {
            case .taken(let count): rest = rest.dropFirst(count)
            case .full: return Array(rest)
            case .gone: return nil
            }
        }
        return nil
    }

    private func relieve() {
        while true {
            let lines = state.withLock { state -> [[UInt8]] in
                defer { state.waiting = [] }
                state.isRelieved = !state.waiting.isEmpty
                return state.waiting
            }
            if lines.isEmpty { return }
            for line in lines {
                writeAll(of: line)
                state.withLock { $0.bytes -= line.count }
            }
        }
    }

    private func writeAll(of line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            switch Self.write(rest, to: descriptor) {
            case .taken(let count): rest = rest.dropFirst(count)
            case .full:
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            case .gone: return
            }
        }
    }

    private enum Outcome {
        case taken(Int)
        case full
        /// Nobody will ever read it; that must not stop the bot.
        case gone
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Outcome {
        while true {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { return .taken(count) }
            guard count < 0, errno == EINTR else { return count < 0 && errno == EAGAIN ? .full : .gone }
        }
    }
}
