/// Events waiting to be sent: one queue for each room, in order, one event of a room in flight at a time ("Recommendations
/// when sending messages").
///
/// A room that has to wait holds up no other. When a second one is told to wait before the first could send, it is
/// the account that is limited: then one event goes at a time, and the rooms take turns, until each that was told to wait
/// has sent something. Nor does a room hold others up whose event isn't ready: an upload, or keys, may take minutes.
///
/// Bounds: a full queue takes no more. What can't be sent within `patience` is given up: an answer that comes minutes
/// late is worse than none.
public struct Outbox: Sendable {
    public typealias Instant = ContinuousClock.Instant

    public static let perRoom = 20
    public static let inAll = 500
    public static let inFlight = 16
    public static let usualPatience: Duration = .seconds(300)
    /// Where the server names no wait: doubled each time.
    public static let firstWait: Duration = .seconds(1)
    public static let longestWait: Duration = .seconds(60)
    /// The least wait where the server names one that may be nothing (`Retry-After: 0`): doubled each time too.
    public static let leastWait: Duration = .milliseconds(250)

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
        /// A try broke off without a word from the server.
        var mayBeThere = false
    }

    /// Of the event at the head of a room's queue.
    private enum Stage: Sendable {
        /// For its turn, then it is in flight.
        case waiting
        /// Something slow has to be done first; then it waits for its turn again.
        case preparing
        /// On its way to the server; then it is gone, or waits again.
        case flying
    }

    private struct Lane: Sendable {
        var queue: [Waiting] = []
        var stage = Stage.waiting
        var notBefore: Instant?
        /// Told to wait by the server, and nothing sent since.
        var isLimited = false
    }

    /// How far an event has come.
    public enum Place: Equatable, Sendable {
        /// The server hasn't got it: it may be changed or dropped.
        case waiting
        /// The same, but something slow is done for it as it was: it may be dropped.
        case preparing
        /// On its way, or it was and may have arrived.
        case tried
    }

    private var lanes: [String: Lane] = [:]
    /// Rooms in the order in which they got something to send, so that none is starved.
    private var turns: [String] = []
    private var flying = 0
    /// No token: everything waits.
    public private(set) var isPaused = false
    /// While the account is limited: nothing goes out before this.
    private var accountWait: Instant?
    public var patience: Duration

    public init(patience: Duration = usualPatience) {
        self.patience = patience
    }

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

    /// What may go out now. Each event of `send` counts as in flight until `sent`, `failed`, `dropped` or `prepares` is called
    /// for it.
    public mutating func due(now: Instant) -> Due {
        var due = Due()
        for room in turns {
            dropStale(in: room, now, &due)
            guard !isPaused, mayFly(now), let lane = lanes[room], lane.stage == .waiting,
                let head = lane.queue.first, lane.notBefore.map({ $0 <= now }) ?? true
            else { continue }
            lanes[room]?.stage = .flying
            lanes[room]?.notBefore = nil
            flying += 1
            due.send.append(head.event)
        }
        return due
    }

    /// When `due` has something new, unless a call changes that first.
    public var nextDeadline: Instant? {
        lanes.values.compactMap { lane -> Instant? in
            guard lane.stage == .waiting, let head = lane.queue.first else { return nil }
            let stale = head.since + patience
            if isPaused || accountWait != nil && flying > 0 { return stale }
            return [accountWait, lane.notBefore].compactMap { $0 }.max().map { min($0, stale) } ?? stale
        }.min()
    }

    /// Whether a room, or the account, was told to send less just now.
    public func isLimited(_ room: String) -> Bool {
        accountWait != nil || lanes[room]?.isLimited ?? false
    }

    /// Nil when it isn't here (any more).
    public func place(of transactionID: String, in room: String) -> Place? {
        guard let lane = lanes[room],
            let index = lane.queue.firstIndex(where: { $0.event.transactionID == transactionID })
        else { return nil }
        if lane.queue[index].mayBeThere { return .tried }
        guard index == 0 else { return .waiting }
        return switch lane.stage {
        case .waiting: .waiting
        case .preparing: .preparing
        case .flying: .tried
        }
    }

    /// Until when an event is worth sending, whatever is done for it meanwhile; nil when it isn't here (any more).
    public func deadline(of transactionID: String, in room: String) -> Instant? {
        lanes[room]?.queue.first { $0.event.transactionID == transactionID }.map { $0.since + patience }
    }

    /// What waits in a room's queue, or is on its way from there.
    public func events(in room: String) -> [OutgoingEvent] { lanes[room]?.queue.map(\.event) ?? [] }

    /// It isn't ready: others may go meanwhile.
    public mutating func prepares(_ event: OutgoingEvent) {
        if land(event) { lanes[event.room]?.stage = .preparing }
    }

    /// It goes when its turn comes. False when it isn't wanted any more.
    public mutating func prepared(_ event: OutgoingEvent) -> Bool {
        guard let lane = lanes[event.room], lane.stage == .preparing, lane.queue.first?.event == event else {
            return false
        }
        lanes[event.room]?.stage = .waiting
        return true
    }

    /// Drops an event that the server hasn't got.
    public mutating func withdraw(_ transactionID: String, in room: String) -> OutgoingEvent? {
        guard let place = place(of: transactionID, in: room), place != .tried,
            let index = lanes[room]?.queue.firstIndex(where: { $0.event.transactionID == transactionID })
        else { return nil }
        return remove(index, in: room)
    }

    public mutating func sent(_ event: OutgoingEvent) {
        guard land(event) else { return }
        lanes[event.room]?.isLimited = false
        removeHead(of: event.room)
        endLimitIfOver()
    }

    /// The event in flight there, or in preparation, isn't wanted any more.
    public mutating func dropped(_ event: OutgoingEvent) {
        guard land(event) || prepared(event) else { return }
        removeHead(of: event.room)
    }

    public mutating func failed(_ event: OutgoingEvent, _ error: MatrixError, now: Instant) -> Failure {
        guard land(event), let head = lanes[event.room]?.queue.first else { return .forgotten }
        guard let wait = wait(after: error, tries: head.tries), now + wait < head.since + patience else {
            removeHead(of: event.room)
            return .dropped
        }
        lanes[event.room]?.queue[0].tries += 1
        // A server that says no to the account or its token didn't look at the event.
        if !error.isLimit, !error.isTokenRefused { lanes[event.room]?.queue[0].mayBeThere = true }
        if error.isLimit { limited(event.room, until: now + wait) } else { lanes[event.room]?.notBefore = now + wait }
        return .retry(after: wait)
    }

    private mutating func limited(_ room: String, until end: Instant) {
        lanes[room]?.isLimited = true
        if accountWait != nil || lanes.contains(where: { $0.key != room && $0.value.isLimited }) {
            accountWait = max(end, accountWait ?? end)
            for room in lanes.keys where lanes[room]?.isLimited ?? false { lanes[room]?.notBefore = nil }
        } else {
            lanes[room]?.notBefore = end
        }
    }

    private mutating func endLimitIfOver() {
        if !lanes.values.contains(where: \.isLimited) { accountWait = nil }
    }

    private func mayFly(_ now: Instant) -> Bool {
        guard let accountWait else { return flying < Self.inFlight }
        return flying == 0 && accountWait <= now
    }

    /// Drops what would answer this event, unless the server may have it already: then only sending it again, with the same
    /// id, tells what there is to take back. Returns what was dropped.
    public mutating func redacted(_ eventID: String, in room: String) -> [OutgoingEvent] {
        let answers = lanes[room]?.queue.map(\.event).filter { $0.answers == eventID } ?? []
        return answers.compactMap { withdraw($0.transactionID, in: room) }
    }

    /// Empties the room's queue; what is in flight there is not waited for. Returns what was dropped.
    public mutating func left(_ room: String) -> [OutgoingEvent] {
        guard let lane = lanes.removeValue(forKey: room) else { return [] }
        if lane.stage == .flying { flying -= 1 }
        count -= lane.queue.count
        turns.removeAll { $0 == room }
        endLimitIfOver()
        return lane.queue.map(\.event)
    }

    /// Empties everything; what is in flight is not waited for. Returns what was dropped.
    public mutating func clear() -> [OutgoingEvent] {
        let events = turns.flatMap { lanes[$0]?.queue.map(\.event) ?? [] }
        self = Outbox(patience: patience)
        return events
    }

    public mutating func pause() {
        isPaused = true
    }

    public mutating func resume() {
        isPaused = false
        accountWait = nil
        for room in lanes.keys { lanes[room]?.notBefore = nil }
    }

    private func wait(after error: MatrixError, tries: Int) -> Duration? {
        let growing = min(Self.firstWait * (1 << min(tries, 10)), Self.longestWait)
        // The token is replaced meanwhile, or everything is given up by the caller.
        if error.isTokenRefused { return growing }
        switch error.retry {
        case .never: return nil
        case .now: return Self.floor(ofTry: tries)
        case .after(let told): return told.map { max($0, Self.floor(ofTry: tries)) } ?? growing
        }
    }

    /// What is waited at least after a try, counted from 0, whatever the server says: one that says "at once" again and again
    /// is not asked a thousand times.
    public static func floor(ofTry number: Int) -> Duration {
        min(leastWait * (1 << min(number, 10)), longestWait)
    }

    private mutating func dropStale(in room: String, _ now: Instant, _ due: inout Due) {
        while let lane = lanes[room], lane.stage == .waiting, let head = lane.queue.first,
            head.since + patience <= now
        {
            due.givenUp.append(head.event)
            removeHead(of: room)
        }
    }

    /// False when the event is not the one in flight there (any more).
    private mutating func land(_ event: OutgoingEvent) -> Bool {
        guard let lane = lanes[event.room], lane.stage == .flying, lane.queue.first?.event == event else {
            return false
        }
        lanes[event.room]?.stage = .waiting
        flying -= 1
        return true
    }

    private mutating func remove(_ index: Int, in room: String) -> OutgoingEvent? {
        count -= 1
        if index == 0 { lanes[room]?.stage = .waiting }
        let event = lanes[room]?.queue.remove(at: index).event
        tidy(room)
        return event
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
        endLimitIfOver()
    }
}
