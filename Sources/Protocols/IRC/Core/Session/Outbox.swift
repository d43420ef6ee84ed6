/// Lines that wait for their turn, and the pace at which they go.
struct Outbox: Sendable {
    enum Kind: Sendable {
        /// An answer to somebody, worthless when late.
        case answer(target: FoldedName, number: UInt32? = nil)
        /// Our own affairs: modes, NickServ.
        case housekeeping
    }

    private struct Waiting: Sendable {
        let line: [UInt8]
        let kind: Kind
        let since: Tick
    }

    /// Answers beyond it are refused: nobody wants them minutes late.
    static let limit = 64
    /// Answers that wait for one channel or person; the oldest makes room, since its asker has waited longest in vain.
    static let targetLimit = 16

    private var waiting: [Waiting] = []
    private var head = 0
    private var pace: Pace?

    init(flood: IRCSettings.Flood?) {
        pace = flood.map { Pace(flood: $0) }
    }

    var count: Int { waiting.count - head }
    var isFull: Bool { count >= Self.limit }

    /// A line that didn't wait (PONG, QUIT, registration) still uses up the server's patience.
    mutating func noteSent(_ bytes: Int, at now: Tick) {
        pace?.charge(bytes, at: now)
    }

    /// How many had to make room.
    @discardableResult
    mutating func append(_ line: [UInt8], _ kind: Kind, at now: Tick) -> Int {
        let dropped = count < Self.targetLimit ? 0 : makeRoom(for: kind)
        waiting.append(Waiting(line: line, kind: kind, since: now))
        return dropped
    }

    private mutating func makeRoom(for kind: Kind) -> Int {
        guard case .answer(let target, _) = kind else { return 0 }
        let places = waiting.indices.dropFirst(head).filter { waiting[$0].kind.target == target }
        guard places.count >= Self.targetLimit, let oldest = places.first else { return 0 }
        waiting.remove(at: oldest)
        return 1
    }

    mutating func slowDown(at now: Tick) {
        pace?.slowDown(at: now)
    }

    /// When a line of so many bytes may go; nil is at once.
    func readyAt(_ bytes: Int) -> Tick? {
        pace?.readyAt(bytes)
    }

    func mayPass(_ bytes: Int, at now: Tick) -> Bool {
        readyAt(bytes).map { $0 <= now } ?? true
    }

    /// When the next waiting line may go.
    var nextReady: Tick? {
        guard head < waiting.count else { return nil }
        return readyAt(waiting[head].line.count) ?? waiting[head].since
    }

    /// Takes the next line that may go now.
    mutating func next(at now: Tick) -> [UInt8]? {
        guard head < waiting.count, mayPass(waiting[head].line.count, at: now) else { return nil }
        let line = waiting[head].line
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        }
        pace?.charge(line.count, at: now)
        return line
    }

    /// Throws away answers that have waited longer than `limit`; how many.
    mutating func dropOld(_ limit: Duration, at now: Tick) -> Int {
        guard count > 0 else { return 0 }
        return drop { kind, since in
            kind.target != nil && since.advanced(by: limit) < now
        }
    }

    /// Throws away answers for a channel that we left.
    mutating func drop(for target: FoldedName) -> Int {
        drop { kind, _ in
            kind.target == target
        }
    }

    /// Throws away one answer; false if it doesn't wait (any more).
    mutating func drop(number: UInt32) -> Bool {
        guard count > 0 else { return false }
        return drop { kind, _ in
            if case .answer(_, number) = kind { true } else { false }
        } > 0
    }

    private mutating func drop(_ isDropped: (Kind, Tick) -> Bool) -> Int {
        let before = count
        waiting.removeFirst(head)
        head = 0
        waiting.removeAll { isDropped($0.kind, $0.since) }
        return before - waiting.count
    }
}

/// Lets a burst through and then one line an interval, the way servers count (RFC 1459 section 8.10). Long lines count
/// for more, because servers count bytes too.
struct Pace: Sendable {
    static let bytesOfOneLine = 256
    /// A server that asks for patience gets a line in this time at the worst.
    private static let slowest = Duration.seconds(8)
    /// For how long it gets it: what it found too fast once isn't too fast for ever.
    private static let slowTime = Duration.seconds(600)

    private let usual: Duration
    private var interval: Duration
    private var slowUntil: Tick?
    private let burst: Double
    /// When everything sent so far would have gone at the steady pace.
    private var paidUntil: Tick?

    init(flood: IRCSettings.Flood) {
        usual = flood.interval
        interval = usual
        burst = Double(max(1, flood.lines))
    }

    private func cost(_ bytes: Int) -> Double {
        min(burst, max(1, Double(bytes) / Double(Self.bytesOfOneLine)))
    }

    func readyAt(_ bytes: Int) -> Tick? {
        paidUntil?.advanced(by: interval * (cost(bytes) - burst))
    }

    mutating func charge(_ bytes: Int, at now: Tick) {
        if let until = slowUntil, until <= now {
            slowUntil = nil
            interval = usual
        }
        paidUntil = max(paidUntil ?? now, now).advanced(by: interval * cost(bytes))
    }

    /// The server finds us too fast: twice as slow for a while, after a pause.
    mutating func slowDown(at now: Tick) {
        slowUntil = now.advanced(by: Self.slowTime)
        if interval < Self.slowest { interval = min(interval * 2, Self.slowest) }
        paidUntil = max(paidUntil ?? now, now.advanced(by: interval * burst))
    }
}

extension Outbox.Kind {
    fileprivate var target: FoldedName? {
        if case .answer(let target, _) = self { target } else { nil }
    }
}
