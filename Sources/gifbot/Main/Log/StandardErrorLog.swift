import Base
import Glibc
import Synchronization

enum LogFormat: String, CaseIterable {
    case text, json
}

/// One event a line on standard error. Secrets are masked here, whatever the caller wrote; a message that comes again
/// and again is written a few times a minute and then counted.
final class StandardErrorLog: LogSink {
    private struct State {
        var level = LogLevel.info
        var format = LogFormat.text
        var mask = SecretMask()
        var repeats = RepeatLimit()
    }

    private let state = Mutex(State())
    private let write: @Sendable ([UInt8]) -> Void

    init(write: @escaping @Sendable ([UInt8]) -> Void = { Output.error.write($0) }) {
        self.write = write
    }

    func configure(level: LogLevel, format: LogFormat) {
        state.withLock {
            $0.level = level
            $0.format = format
        }
    }

    func isEnabled(_ level: LogLevel) -> Bool {
        state.withLock { level >= $0.level }
    }

    func addSecret(_ secret: Secret) {
        state.withLock { $0.mask.add(secret) }
    }

    func write(_ event: LogEvent) {
        let line: [UInt8]? = state.withLock { state in
            guard let suppressed = state.repeats.admit(event.area + event.message, at: .now) else { return nil }
            let line = LogLine(event: event, suppressed: suppressed, stamp: timestamp())
            let text = state.format == .json ? line.json : line.text
            return state.mask.applied(to: Array(text.utf8)) + [0x0A]
        }
        if let line { write(line) }
    }
}

/// UTC, to the second, as RFC 3339 writes it.
private func timestamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))T"
        + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
}
