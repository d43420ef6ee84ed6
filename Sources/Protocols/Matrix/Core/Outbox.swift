/// Events waiting to be sent: one queue for each room, in order, one event of a room in flight at a time. A room that
/// has to wait holds up no other; where the whole account is limited, the server says so to each room by itself
/// ("Recommendations when sending messages", BUG-16).
///
/// Bounds: a full queue takes no more. What can't be sent within `patience` is given up: an answer that comes minutes
/// late is worse than none.
public struct Outbox: Sendable {
    public typealias Instant = ContinuousClock.Instant

    public static let perRoom = 20
    public static let inAll = 500
    public static let inFlight = 16
    public static let patience: Duration = .seconds(300)
    /// Where the server names no wait: doubled each time.
    public static let firstWait: Duration = .seconds(1)
    public static let longestWait: Duration = .seconds(60)

    /// What `due` found.
    public struct Due: Equatable, Sendable {
        public var send: [OutgoingEvent] = []
        /// Waited for too long.
        public var givenUp: [OutgoingEvent] = []
    }

    /// What became of an event that was not sent.
    public enum Failure: Equatable, Sendable {
        /// It stays at the head of its room.
        case retry(after: Duration)
        case dropped
        /// The room was left meanwhile: nobody waits for it.
        case forgotten
    }

    private struct Waiting: Sendable {
        let event: OutgoingEvent
        let since: Instant
        var tries = 0
    }

    private struct Lane: Sendable {
        var queue: [Waiting] = []
        var isInFlight = false
        var notBefore: Instant?
    }

    private var lanes: [String: Lane] = [:]
    /// Rooms in the order in which they got something to send, so that none is starved.
    private var turns: [String] = []
    private var flying = 0
    /// No token: everything waits.
    public private(set) var isPaused = false

    public init() {}

    public private(set) var count = 0
    public var isEmpty: Bool { count == 0 }

    /// False when there is no place.
    public mutating func add(_ event: OutgoingEvent, now: Instant) -> Bool {
        let length = lanes[event.room]?.queue.count ?? 0
        guard length < Self.perRoom, count < Self.inAll else { return false }
        if length == 0 { turns.append(event.room) }
        lanes[event.room, default: Lane()].queue.append(Waiting(event: event, since: now))
        count += 1
        return true
    }

    /// What may go out now. Each event of `send` counts as in flight until `sent` or `failed` is called for it.
    public mutating func due(now: Instant) -> Due {
        var due = Due()
        for room in turns {
            dropStale(in: room, now, &due)
            guard !isPaused, flying < Self.inFlight, let lane = lanes[room], !lane.isInFlight,
                let head = lane.queue.first, lane.notBefore.map({ $0 <= now }) ?? true
            else { continue }
            lanes[room]?.isInFlight = true
            lanes[room]?.notBefore = nil
            flying += 1
            due.send.append(head.event)
        }
        return due
    }

    /// When `due` has something new, unless a call changes that first.
    public var nextDeadline: Instant? {
        lanes.values.compactMap { lane -> Instant? in
            guard !lane.isInFlight, let head = lane.queue.first else { return nil }
            let stale = head.since + Self.patience
            return isPaused ? stale : lane.notBefore.map { min($0, stale) } ?? stale
        }.min()
    }

    public mutating func sent(_ event: OutgoingEvent) {
        guard land(event) else { return }
        removeHead(of: event.room)
    }

    public mutating func failed(_ event: OutgoingEvent, _ error: MatrixError, now: Instant) -> Failure {
        guard land(event), let head = lanes[event.room]?.queue.first else { return .forgotten }
        guard let wait = wait(after: error, tries: head.tries), now + wait < head.since + Self.patience else {
            removeHead(of: event.room)
            return .dropped
        }
        lanes[event.room]?.queue[0].tries += 1
        lanes[event.room]?.notBefore = now + wait
        return .retry(after: wait)
    }

    /// Drops what would answer this event, if it isn't on its way already. Returns what was dropped.
    public mutating func redacted(_ eventID: String, in room: String) -> [OutgoingEvent] {
        guard var lane = lanes[room] else { return [] }
        let kept = lane.isInFlight ? 1 : 0
        let dropped = lane.queue.dropFirst(kept).filter { $0.event.answers == eventID }
        lane.queue = lane.queue.prefix(kept) + lane.queue.dropFirst(kept).filter { $0.event.answers != eventID }
        count -= dropped.count
        lanes[room] = lane
        tidy(room)
        return dropped.map(\.event)
    }

    /// Empties the room's queue; what is in flight there is not waited for. Returns what was dropped.
    public mutating func left(_ room: String) -> [OutgoingEvent] {
        guard let lane = lanes.removeValue(forKey: room) else { return [] }
        if lane.isInFlight { flying -= 1 }
        count -= lane.queue.count
        turns.removeAll { $0 == room }
        return lane.queue.map(\.event)
    }

    public mutating func pause() {
        isPaused = true
    }

    public mutating func resume() {
        isPaused = false
        for room in lanes.keys { lanes[room]?.notBefore = nil }
    }

    private func wait(after error: MatrixError, tries: Int) -> Duration? {
        let growing = min(Self.firstWait * (1 << min(tries, 10)), Self.longestWait)
        // The token is replaced meanwhile, or everything is given up by the caller.
        if error.isTokenRefused { return growing }
        switch error.retry {
        case .never: return nil
        case .now: return .zero
        case .after(let told): return told ?? growing
        }
    }

    private mutating func dropStale(in room: String, _ now: Instant, _ due: inout Due) {
        while let lane = lanes[room], !lane.isInFlight, let head = lane.queue.first,
            head.since + Self.patience <= now
        {
            due.givenUp.append(head.event)
            removeHead(of: room)
        }
    }

    /// False when the event is not the one in flight there (any more).
    private mutating func land(_ event: OutgoingEvent) -> Bool {
        guard let lane = lanes[event.room], lane.isInFlight, lane.queue.first?.event == event else { return false }
        lanes[event.room]?.isInFlight = false
        flying -= 1
        return true
    }

    private mutating func removeHead(of room: String) {
        lanes[room]?.queue.removeFirst()
        count -= 1
        turns.removeAll { $0 == room }
        turns.append(room)
        tidy(room)
    }

    private mutating func tidy(_ room: String) {
        guard lanes[room]?.queue.isEmpty ?? true else { return }
        lanes[room] = nil
        turns.removeAll { $0 == room }
    }
}
