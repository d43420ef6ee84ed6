public import Base
import Synchronization

/// Keeps every line, for tests that look at what the operator is told.
public final class RecordingLog: LogSink {
    private let events = Mutex<[LogEvent]>([])
    private let secrets = Mutex<[Secret]>([])

    public init() {}

    public func isEnabled(_ level: LogLevel) -> Bool { true }
    public func write(_ event: LogEvent) { events.withLock { $0.append(event) } }
    public func addSecret(_ secret: Secret) { secrets.withLock { $0.append(secret) } }

    public var lines: [String] {
        events.withLock { all in
            all.map { event in
                ([event.message] + event.fields.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
            }
        }
    }
    public var addedSecrets: [Secret] { secrets.withLock { $0 } }
}
