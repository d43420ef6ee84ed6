import Base
import HTTP
import Matrix

/// Enters rooms. Over federation a join fails for a while now and then, so each is tried for minutes with growing waits,
/// and then dropped.
@Loop final class RoomJoiner {
    /// Joins under way at once. For one more the one that was tried longest is given up: an invitation that can be followed is
    /// so at the first try, whoever else sends those that can't.
    static let capacity = 50
    static let patience: Duration = .minutes(10)

    private let calls: Calls
    private let clock: any LoopClock
    private let log: Log
    private let random: () -> Double
    private let tasks = RunningTasks<String>()
    private let checks = RunningTasks<String>()

    var server: Homeserver?
    /// Returns when a room may be entered.
    var mayEnter: @Loop () async -> Void = {}
    /// What was asked for, and the id of the room that it led to.
    var entered: (String, String) -> Void = { _, _ in }

    init(calls: Calls, clock: any LoopClock, log: Log, random: @escaping () -> Double) {
        self.calls = calls
        self.clock = clock
        self.log = log
        self.random = random
    }

    func isEntering(_ room: String) -> Bool { tasks.contains(room) }

    func join(_ room: String, via servers: [String]) {
        guard let server, !tasks.contains(room) else { return }
        if tasks.count >= Self.capacity, let oldest = tasks.oldest {
            log.warning("too many rooms to enter at once; one is given up", ["room": oldest])
            tasks.cancel(oldest)
        }
        let request = server.join(room, via: servers)
        tasks.start(room) { [weak self] in await self?.keepTrying(room, request) }
    }

    /// Goes where a room went on. After a restart the sign is still there: then it is asked first whether the account was
    /// in the new room before and was made to leave.
    func follow(_ upgrade: Upgrade, as userID: String) {
        let servers = [MatrixID.server(of: upgrade.sender)].compactMap { $0 }
        guard let server, !upgrade.isNews else { return join(upgrade.replacement, via: servers) }
        let room = upgrade.replacement
        let request = server.membership(of: userID, in: room)
        checks.start(room) { [weak self, calls] in
            let membership = await calls(request, Replies.membership)
            guard !Task.isCancelled, let self else { return }
            if case .success(let membership) = membership, ["leave", "ban"].contains(membership) { return }
            join(room, via: servers)
        }
    }

    /// The invite was taken back, or the room is entered already.
    func forget(_ room: String) {
        tasks.cancel(room)
    }

    func stop() {
        tasks.cancelAll()
        checks.cancelAll()
    }

    private func keepTrying(_ room: String, _ request: HTTPRequest) async {
        await mayEnter()
        if Task.isCancelled { return }
        let end = clock.now + Self.patience
        var backoff = Backoff(first: .seconds(5), longest: .minutes(2))
        while true {
            let result = await calls(request, Replies.room)
            if Task.isCancelled { return }
            switch result {
            case .success(let id):
                log.info("entered a room", ["room": id])
                tasks.release(room)
                entered(room, id)
                return
            case .failure(let error):
                guard let wait = wait(after: error, &backoff), clock.now + wait < end else {
                    log.warning("can't enter a room", ["room": room, "reason": error.text])
                    return
                }
                await clock.sleep(for: wait)
                if Task.isCancelled { return }
            }
        }
    }

    private func wait(after error: MatrixError, _ backoff: inout Backoff) -> Duration? {
        if error.isTokenRefused || error.isAccountShut { return nil }
        let growing = backoff.next(spread: random())
        if case .after(let told?) = error.retry { return max(told, growing) }
        return growing
    }
}
