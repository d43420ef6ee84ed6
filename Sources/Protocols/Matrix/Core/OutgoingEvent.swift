/// An event to be sent, with all that makes its repetition the same event.
public struct OutgoingEvent: Equatable, Sendable {
    public let room: String
    /// `m.room.redaction` goes the way of a redaction, and then `redacts` says of what.
    public var type: String
    public let transactionID: String
    /// JSON.
    public var content: [UInt8]
    /// The event that this answers; nothing is sent for one that was taken back.
    public let answers: String
    public var redacts: String?

    public init(
        room: String, type: String, transactionID: String, content: [UInt8], answers: String, redacts: String? = nil
    ) {
        self.room = room
        self.type = type
        self.transactionID = transactionID
        self.content = content
        self.answers = answers
        self.redacts = redacts
    }
}

/// Makes transaction ids from the id of the event answered, so that an answer repeated after a crash is the same event
/// to the server: the first reply to an event always has the same id, in every run.
public struct TransactionIDs: Sendable {
    private var order = RecentIDs(capacity: capacity)
    private var counts: [String: Int] = [:]

    private static let capacity = 1000

    public init() {}

    public mutating func next(answering event: String) -> String {
        if order.insert(event), counts.count >= 2 * Self.capacity {
            counts = counts.filter { order.contains($0.key) }
        }
        let count = (counts[event] ?? 0) + 1
        counts[event] = count
        return "gifbot.\(count).\(event)"
    }
}
