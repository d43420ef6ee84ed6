import Base
import HTTP
import Matrix

/// What a room sees of the bot besides answers: that it read a command, and that it works on one. Nothing of it is repeated when it
/// fails: it is worth nothing later.
@Loop final class Manners {
    /// A search that takes longer is worth a sign.
    static let typingDelay: Duration = .milliseconds(500)
    /// Gathers commands that come close together: a receipt stands for everything before it.
    static let receiptDelay: Duration = .seconds(1)
    /// Commands in hand; of more nothing is shown.
    static let capacity = 256
    /// The server takes the sign back by itself after this; it is repeated earlier, as long as the work lasts.
    private static let typingLasts: Duration = .seconds(30)
    private static let typingRepeats: Duration = .seconds(25)
    /// For what is taken back at the end.
    static let patience: Duration = .seconds(2)
    /// However long the work lasts.
    private static let mostRepeats = 4

    private struct Work {
        let room: String
        /// How often it was begun and not finished.
        var begun = 0
        /// Said, and not yet sent.
        var isSending = false
        var timer: TimerID?
        var shows = 0
    }

    private struct Place: Hashable {
        let room: String
        let thread: String?
    }

    private let calls: Calls
    private let clock: any LoopClock
    private var work: [String: Work] = [:]
    private var receipts: [Place: (event: String, timer: TimerID)] = [:]

    var server: Homeserver?
    var userID: String?
    var showsTyping = true
    /// Whether the room may be told anything now: allowed to speak there, and not limited.
    var mayShow: (String) -> Bool = { _ in false }

    init(calls: Calls, clock: any LoopClock) {
        self.calls = calls
        self.clock = clock
    }

    func began(_ command: String, in room: String, thread: String?) {
        readSoon(command, Place(room: room, thread: thread))
        guard work[command] != nil || work.count < Self.capacity else { return }
        work[command, default: Work(room: room)].begun += 1
        guard showsTyping, work[command]?.timer == nil, work[command]?.shows == 0 else { return }
        schedule(command, after: Self.typingDelay)
    }

    /// The handler is done; the sign stays while an upload is under way.
    func finished(_ command: String, isSending: Bool) {
        guard work[command] != nil else { return }
        work[command]?.begun -= 1
        work[command]?.isSending = isSending
        endIfDone(command)
    }

    func settled(_ command: String) {
        work[command]?.isSending = false
        endIfDone(command)
    }

    /// Takes back what is shown, as far as there is time.
    func stop(by deadline: Instant) async {
        for timer in work.values.compactMap(\.timer) + receipts.values.map(\.timer) { clock.cancel(timer) }
        let rooms = Set(work.values.filter { $0.shows > 0 }.map(\.room))
        work = [:]
        receipts = [:]
        guard let server, let userID else { return }
        self.server = nil
        let calls = calls
        await sideBySide(Array(rooms), width: MatrixAdapter.questionsAtOnce, by: deadline, clock: clock) { room in
            _ = await calls(server.typing(false, userID, in: room, for: Self.typingLasts), Replies.done)
        }
    }

    // MARK: Typing

    private func schedule(_ command: String, after delay: Duration) {
        work[command]?.timer = clock.schedule(at: clock.now + delay) { [weak self] in self?.show(command) }
    }

    private func show(_ command: String) {
        guard let one = work[command] else { return }
        work[command]?.timer = nil
        guard mayShow(one.room), one.shows < Self.mostRepeats else { return }
        work[command]?.shows += 1
        tell(true, one.room)
        schedule(command, after: Self.typingRepeats)
    }

    private func endIfDone(_ command: String) {
        guard let one = work[command], one.begun <= 0, !one.isSending else { return }
        work[command] = nil
        if let timer = one.timer { clock.cancel(timer) }
        guard one.shows > 0, !work.values.contains(where: { $0.room == one.room && $0.shows > 0 }) else { return }
        tell(false, one.room)
    }

    private func tell(_ isTyping: Bool, _ room: String) {
        guard let server, let userID else { return }
        put(server.typing(isTyping, userID, in: room, for: Self.typingLasts))
    }

    // MARK: Receipts

    private func readSoon(_ event: String, _ place: Place) {
        if let waiting = receipts[place] {
            receipts[place] = (event, waiting.timer)
            return
        }
        guard receipts.count < Self.capacity else { return }
        let timer = clock.schedule(at: clock.now + Self.receiptDelay) { [weak self] in self?.read(place) }
        receipts[place] = (event, timer)
    }

    private func read(_ place: Place) {
        guard let event = receipts.removeValue(forKey: place)?.event, let server else { return }
        put(server.read(event, in: place.room, thread: place.thread))
    }

    private func put(_ request: HTTPRequest) {
        Loop.start { [calls] in _ = await calls(request, Replies.done) }
    }
}
