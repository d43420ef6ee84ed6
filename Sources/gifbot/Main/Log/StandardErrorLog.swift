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

        func bytes(of line: LogLine) -> [UInt8] {
            var line = line
            line.mask = masked
            return mask.applied(to: Array((format == .json ? line.json : line.text).utf8)) + [0x0A]
        }

        func masked(_ text: String) -> String {
            String(decoding: mask.applied(to: Array(text.utf8)), as: UTF8.self)
        }
    }

    private let state = Mutex(State())
    private let output: ErrorOutput

    init(output: ErrorOutput = ErrorOutput()) {
        self.output = output
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

    /// A line for people elsewhere, without secrets.
    func masked(_ line: String) -> String {
        state.withLock { $0.masked(line) }
    }

    func write(_ event: LogEvent) {
        tellLost()
        let line: [UInt8]? = state.withLock { state in
            guard let suppressed = state.repeats.admit(event.area + event.message, at: .now) else { return nil }
            return state.bytes(of: LogLine(event: event, suppressed: suppressed, stamp: timestamp()))
        }
        if let line { output.write(line) }
    }

    /// Before the program ends: what is still to be written is waited for, though not for long.
    func finish(within limit: Duration = .seconds(1)) {
        tellLost()
        output.finish(within: limit)
    }

    private func tellLost() {
        let lost = output.takeLost()
        guard lost > 0 else { return }
        let event = LogEvent(
            level: .warning, area: "log", message: "lines were dropped: standard error was not read",
            fields: [(name: "lines", value: String(lost))])
        output.write(state.withLock { $0.bytes(of: LogLine(event: event, suppressed: 0, stamp: timestamp())) })
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
