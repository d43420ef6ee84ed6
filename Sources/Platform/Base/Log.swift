public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    case debug, info, warning, error

    /// Spelled out: to have the case's name found by itself costs a start more than its whole log.
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// One line for the operator: a constant message that can be searched for, and fields.
public struct LogEvent: Sendable {
    public let level: LogLevel
    public let area: String
    public let message: String
    public let fields: [(name: String, value: String)]

    public init(level: LogLevel, area: String, message: String, fields: [(name: String, value: String)]) {
        self.level = level
        self.area = area
        self.message = message
        self.fields = fields
    }
}

/// Where log lines go. Masking of secrets happens in the sink, never at the call.
public protocol LogSink: AnyObject, Sendable {
    func isEnabled(_ level: LogLevel) -> Bool
    func write(_ event: LogEvent)
    /// From now on neither this value nor its escaped forms appear in any line.
    func addSecret(_ secret: Secret)
}

/// The face of the log for one area of the program ("irc", "matrix", "search").
public struct Log: Sendable {
    private let sink: any LogSink
    private let area: String

    public init(_ area: String, to sink: any LogSink) {
        self.area = area
        self.sink = sink
    }

    /// The same sink under another area.
    public func area(_ name: String) -> Log { Log(name, to: sink) }

    public func addSecret(_ secret: Secret) { sink.addSecret(secret) }

    public func debug(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.debug, message, fields)
    }
    public func info(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.info, message, fields)
    }
    public func warning(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, fields)
    }
    public func error(_ message: StaticString, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.error, message, fields)
    }

    private func write(_ level: LogLevel, _ message: StaticString, _ fields: KeyValuePairs<String, String>) {
        guard sink.isEnabled(level) else { return }
        sink.write(
            LogEvent(
                level: level, area: area, message: message.description,
                fields: fields.map { (name: $0.key, value: $0.value) }))
    }
}
