import Base

/// What is known of a command and of its answer, for as long as either may be changed or taken back.
struct GivenAnswer: Equatable, Sendable {
    let id: String
    /// Where the command was given.
    let commandRoom: String
    /// Where the answer is; the command's room, or the direct chat of who asked.
    var room: String
    var thread: String?
    /// Who gave the command.
    let asker: String
    /// The answer's event; nil until the server has it.
    var event: String?
    /// When the server had it.
    var at: WallTime?
    /// The transaction that says or changes it, while it is queued.
    var queued: String?
}

/// Commands and their answers, by the command's id and by the answer's event. The oldest go first.
struct AnswerBook {
    static let capacity = 1000

    private var answers: [String: GivenAnswer] = [:]
    private var byEvent: [String: String] = [:]
    private var order: [String] = []
    private var next = 0

    subscript(id: String) -> GivenAnswer? { answers[id] }

    func answer(event: String) -> GivenAnswer? {
        byEvent[event].flatMap { answers[$0] }
    }

    /// A command is known from now on. One that is known already stays as it is.
    mutating func note(_ answer: GivenAnswer) {
        guard answers[answer.id] == nil else { return }
        if order.count < Self.capacity {
            order.append(answer.id)
        } else {
            remove(order[next])
            order[next] = answer.id
            next = (next + 1) % Self.capacity
        }
        answers[answer.id] = answer
        if let event = answer.event { byEvent[event] = answer.id }
    }

    mutating func update(_ id: String, _ change: (inout GivenAnswer) -> Void) {
        guard var answer = answers[id] else { return }
        let before = answer.event
        change(&answer)
        answers[id] = answer
        guard before != answer.event else { return }
        if let before { byEvent[before] = nil }
        if let event = answer.event { byEvent[event] = id }
    }

    /// Its place in the order stays taken until its turn comes.
    mutating func remove(_ id: String) {
        if let event = answers.removeValue(forKey: id)?.event { byEvent[event] = nil }
    }
}

extension GivenAnswer {
    init(id: String, room: String, thread: String?, asker: String) {
        self.init(id: id, commandRoom: room, room: room, thread: thread, asker: asker, event: nil, queued: nil)
    }

    /// As kept over a restart.
    init(_ stored: StoredAnswer) {
        self.init(
            id: stored.id, commandRoom: stored.commandRoom, room: stored.room, thread: stored.thread,
            asker: stored.asker, event: stored.event, at: stored.at, queued: nil)
    }
}
