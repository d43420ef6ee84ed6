/// Knows up to which position everything is done with, so that a crash loses no command, and which commands are done with, so
/// that none is answered twice.
///
/// A command is done with when the handler has finished it and every event that it said has been sent or given up. A position
/// may be saved when the commands of its batch and of all before are done with. Reading a batch again does no harm: answers
/// have the same transaction id, and commands that are done with are known.
public struct Handover: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// How long a command may hold the position back: longer than a search and the outbox's patience together.
    public static let patience: Duration = .seconds(360)
    /// Commands in hand; beyond it the oldest batch with any counts as done.
    public static let capacity = 2048

    private struct Command: Sendable {
        /// How often the handler has begun and not finished.
        var works = 0
        /// Events in the outbox.
        var queued = 0
        /// Something of it was thrown away unsent.
        var isAbandoned = false

        var isDone: Bool { works == 0 && queued == 0 }
    }

    private struct Batch: Sendable {
        var position: String
        let since: Instant
        var open: Set<String> = []
    }

    private var commands: [String: Command] = [:]
    private var batches: [Batch] = []

    public init() {}

    /// A batch is about to be handed on; the commands that begin from now on are its own.
    public mutating func received(position: String, now: Instant) {
        // Nothing waits in the last batch: its position is of no use any more, since the new one is as safe.
        if let last = batches.last, last.open.isEmpty { batches.removeLast() }
        batches.append(Batch(position: position, since: now))
    }

    public mutating func began(_ command: String) {
        take(command)
        commands[command]?.works += 1
    }

    /// A reply to this command stands in the outbox; or what changes one, or takes it back, long after the command was done with:
    /// then it is in hand once more, or what the last batch said about it would be lost by a crash.
    public mutating func queued(_ command: String) {
        take(command)
        commands[command]?.queued += 1
    }

    /// A reply to this command was sent, or given up. True when the command is done with now.
    public mutating func settled(_ command: String) -> Bool {
        guard let queued = commands[command]?.queued, queued > 0 else { return false }
        commands[command]?.queued -= 1
        return endIfDone(command)
    }

    /// A reply to this command was thrown away, and not for good reasons of its own: the command is not held any more, and
    /// never counts as done with.
    public mutating func abandoned(_ command: String) {
        commands[command]?.isAbandoned = true
        _ = settled(command)
    }

    /// The handler will say nothing more to this command. True when it is done with now.
    public mutating func finished(_ command: String) -> Bool {
        guard let works = commands[command]?.works, works > 0 else { return false }
        commands[command]?.works -= 1
        return endIfDone(command)
    }

    /// The newest position that may be saved, if there is a new one.
    public mutating func advance(now: Instant) -> String? {
        var position: String?
        while let first = batches.first, first.open.isEmpty || first.since + Self.patience <= now {
            position = first.position
            batches.removeFirst()
        }
        return position
    }

    private mutating func take(_ command: String) {
        guard commands[command] == nil else { return }
        if commands.count >= Self.capacity { forgetOldest() }
        if !batches.isEmpty { batches[batches.count - 1].open.insert(command) }
        commands[command] = Command()
    }

    private mutating func endIfDone(_ command: String) -> Bool {
        guard let ended = commands[command], ended.isDone else { return false }
        commands[command] = nil
        if let index = batches.lastIndex(where: { $0.open.contains(command) }) {
            batches[index].open.remove(command)
        }
        return !ended.isAbandoned
    }

    private mutating func forgetOldest() {
        guard let index = batches.firstIndex(where: { !$0.open.isEmpty }) else { return commands = [:] }
        for command in batches[index].open { commands[command] = nil }
        batches[index].open = []
    }
}
