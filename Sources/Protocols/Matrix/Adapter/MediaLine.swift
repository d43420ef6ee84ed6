import Base

/// Lets only so many files at once be in memory, and only so many bytes; others wait in line, one GIF never beside itself.
@Loop final class MediaLine {
    /// Files at once.
    static let capacity = 2
    /// Bytes at once, by what each may have at most; a larger one goes alone.
    static let bytes = 16 << 20
    /// Waiting at most; of more the link is sent.
    static let longest = 64

    private struct Job {
        let id: String
        let bytes: Int
    }

    private let clock: any LoopClock
    private var inside: [Job] = []
    private var waiting: [(job: Job, gate: Gate)] = []

    init(clock: any LoopClock) {
        self.clock = clock
    }

    /// True when it is one's turn; then `leave` has to follow. False at the deadline, or when the task was cancelled.
    func enter(_ id: String, bytes: Int, by deadline: Instant) async -> Bool {
        let job = Job(id: id, bytes: bytes)
        if waiting.isEmpty, fits(job) {
            inside.append(job)
            return true
        }
        guard waiting.count < Self.longest else { return false }
        let gate = Gate(clock: clock)
        waiting.append((job, gate))
        await gate.wait(by: deadline)
        if let index = waiting.firstIndex(where: { $0.gate === gate }) {
            waiting.remove(at: index)
            return false
        }
        guard Task.isCancelled else { return true }
        leave(id)
        return false
    }

    func leave(_ id: String) {
        if let index = inside.firstIndex(where: { $0.id == id }) { inside.remove(at: index) }
        while let index = waiting.firstIndex(where: { fits($0.job) }) {
            let next = waiting.remove(at: index)
            inside.append(next.job)
            next.gate.open()
        }
    }

    private func fits(_ job: Job) -> Bool {
        guard !inside.contains(where: { $0.id == job.id }) else { return false }
        let used = inside.reduce(0) { $0 + $1.bytes }
        return inside.isEmpty || inside.count < Self.capacity && used + job.bytes <= Self.bytes
    }
}
