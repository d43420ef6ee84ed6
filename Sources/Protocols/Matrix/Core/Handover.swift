/// Knows up to which position everything is done with, so that a crash loses no command (BUG-15, "written after the
/// answer was handled").
///
/// An adapter can't know which messages are commands with an answer in the making. So a batch counts as done when each
/// of its messages was answered and the answers are sent, or when `settling` has passed since it came and nothing that
/// answers it is queued any more. Reading a batch twice does no harm: answers have the same transaction id, and the bot
/// remembers what it answered.
public struct Handover: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// Longer than any search may take.
    public static let settling: Duration = .seconds(30)
    /// Batches held at most; beyond it the oldest counts as done.
    public static let capacity = 256

    private struct Batch: Sendable {
        let position: String
        let settled: Instant
        var unanswered: Set<String>
        /// Replies queued, by the event that they answer.
        var queued: [String: Int] = [:]

        func isDone(_ now: Instant) -> Bool {
            queued.isEmpty && (unanswered.isEmpty || settled <= now)
        }

        func knows(_ event: String) -> Bool {
            unanswered.contains(event) || queued[event] != nil
        }
    }

    private var batches: [Batch] = []

    public init() {}

    /// A batch was handed over, with these messages in it.
    public mutating func began(position: String, messages: [String], now: Instant) {
        if batches.count >= Self.capacity { batches.removeFirst() }
        batches.append(
            Batch(position: position, settled: now + Self.settling, unanswered: Set(messages)))
    }

    /// A reply to this message stands in the outbox.
    public mutating func queued(_ event: String) {
        guard let index = batches.lastIndex(where: { $0.knows(event) }) else { return }
        batches[index].unanswered.remove(event)
        batches[index].queued[event, default: 0] += 1
    }

    /// A reply to this message was sent, or dropped for good.
    public mutating func finished(_ event: String) {
        guard let index = batches.lastIndex(where: { $0.queued[event] != nil }) else { return }
        let left = (batches[index].queued[event] ?? 1) - 1
        batches[index].queued[event] = left > 0 ? left : nil
    }

    /// The message was taken back: nobody answers it.
    public mutating func withdrawn(_ event: String) {
        for index in batches.indices { batches[index].unanswered.remove(event) }
    }

    /// The newest position that may be saved, if there is a new one.
    public mutating func advance(now: Instant) -> String? {
        var position: String?
        while let first = batches.first, first.isDone(now) {
            position = first.position
            batches.removeFirst()
        }
        return position
    }

    public var nextDeadline: Instant? {
        batches.first.flatMap { $0.queued.isEmpty ? $0.settled : nil }
    }
}
