import Base

/// When to tell conversations that we are working on something (typing).
struct TypingNotices: Sendable {
    /// Most answers are there sooner, and need no notice.
    static let patience = Duration.milliseconds(800)
    /// The specification's pace; who sees one takes it for lasting twice as long.
    static let interval = Duration.seconds(3)
    /// Conversations at one time; no notice is given in what comes on top.
    private static let limit = 64

    private struct Work: Sendable {
        let target: String
        var commands: Int
        var next: Instant
        var isTold = false
    }

    private var works: [Work] = []

    var isEmpty: Bool { works.isEmpty }
    var nextDue: Instant? { works.lazy.map(\.next).min() }

    mutating func began(_ target: String, at now: Instant) {
        if let index = works.firstIndex(where: { $0.target == target }) {
            works[index].commands += 1
        } else if works.count < Self.limit {
            works.append(Work(target: target, commands: 1, next: now.advanced(by: Self.patience)))
        }
    }

    /// True if a notice was given and has to be ended.
    mutating func finished(_ target: String) -> Bool {
        guard let index = works.firstIndex(where: { $0.target == target }) else { return false }
        works[index].commands -= 1
        guard works[index].commands == 0 else { return false }
        return works.remove(at: index).isTold
    }

    /// Where to give one now.
    mutating func due(at now: Instant) -> [String] {
        works.indices.compactMap { index in
            guard works[index].next <= now else { return nil }
            works[index].next = now.advanced(by: Self.interval)
            works[index].isTold = true
            return works[index].target
        }
    }

    mutating func removeAll() {
        works.removeAll()
    }
}
