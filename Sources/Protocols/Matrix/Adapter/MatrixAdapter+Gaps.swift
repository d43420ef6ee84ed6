import Base
import HTTP
import Matrix

extension MatrixAdapter {
    /// Failures of one gap, waits between them included, until it stays as it is.
    private static let mostFailures = 3

    /// Rooms whose gaps are filled at a time: a page may be large.
    private static let gapsAtOnce = 4
    /// For all of them. What takes longer is old by then, as a rule, and the rest of the batch gets old with it.
    private static let fillingTime: Duration = .minutes(1)

    /// Fetches what a batch left out. False when the token was refused meanwhile: then the batch is of no use yet.
    func fillGaps(of batch: inout SyncBatch, _ access: Access) async -> Bool {
        let gaps = session?.gaps(in: batch, longestAge: longestAge) ?? []
        let filled = FilledGaps()
        await sideBySide(gaps, width: Self.gapsAtOnce, by: clock.now + Self.fillingTime, clock: clock) {
            [weak self] gap in
            var gap = gap
            let isUsable = await self?.fill(&gap, access) ?? false
            if Task.isCancelled { return }
            if isUsable { filled.gaps.append(gap) } else { filled.isTokenRefused = true }
        }
        if Task.isCancelled || filled.isTokenRefused { return false }
        for gap in filled.gaps {
            if gap.isCutShort { log.warning("too many messages were missed to read them all", ["room": gap.room]) }
            batch.fill(gap)
        }
        if filled.gaps.count < gaps.count {
            log.warning("messages were missed in too many rooms", ["rooms": String(gaps.count - filled.gaps.count)])
        }
        return true
    }

    private func fill(_ gap: inout GapFiller, _ access: Access) async -> Bool {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
        var failures = 0
        while let request = gap.request(to: access.server) {
            let page = await calls(request, MessagePage.decode)
            if Task.isCancelled { return false }
            switch page {
            case .success(let page): gap.received(page)
            case .failure(let error):
                if error.isTokenRefused { return false }
                failures += 1
                // The rest of the batch can't wait longer.
                guard failures < Self.mostFailures, error.retry != .never else {
                    log.warning("missed messages can't be read", ["room": gap.room, "reason": error.text])
                    return true
                }
                await pause(after: error, doing: "reading missed messages", &backoff)
                if Task.isCancelled { return false }
            }
        }
        return true
    }
}

@Loop private final class FilledGaps {
    var gaps: [GapFiller] = []
    var isTokenRefused = false
}
