import Base
import HTTP
import Matrix

/// Leaves rooms, and forgets those that were left, so that neither stays with the account for ever. Nothing depends on it: what
/// fails a few times is dropped.
@Loop final class RoomLeaver {
    /// Under way at once; more are dropped.
    static let capacity = 50
    private static let tries = 5

    private enum Step: Hashable, Sendable {
        case leave(String)
        case forget(String)
    }

    private let calls: Calls
    private let clock: any LoopClock
    private let log: Log
    private let random: () -> Double
    private let tasks = RunningTasks<Step>()

    var server: Homeserver?

    init(calls: Calls, clock: any LoopClock, log: Log, random: @escaping () -> Double) {
        self.calls = calls
        self.clock = clock
        self.log = log
        self.random = random
    }

    /// That it worked is told by the sync.
    func leave(_ room: String) {
        guard let server else { return }
        start(.leave(room), server.leave(room))
    }

    func forget(_ room: String) {
        guard let server else { return }
        start(.forget(room), server.forget(room))
    }

    func stop() {
        tasks.cancelAll()
    }

    private func start(_ step: Step, _ request: HTTPRequest) {
        guard !tasks.contains(step), tasks.count < Self.capacity else { return }
        tasks.start(step) { [weak self] in await self?.keepTrying(request) }
    }

    private func keepTrying(_ request: HTTPRequest) async {
        var backoff = Backoff(first: .seconds(5), longest: .minutes(2))
        for _ in 0..<Self.tries {
            let result = await calls(request, Replies.done)
            guard !Task.isCancelled, case .failure(let error) = result, error.retry != .never else { return }
            var wait = backoff.next(spread: random())
            if case .after(let told?) = error.retry { wait = max(wait, told) }
            log.debug("leaving a room is put off", ["reason": error.text])
            await clock.sleep(for: wait)
            if Task.isCancelled { return }
        }
    }
}
