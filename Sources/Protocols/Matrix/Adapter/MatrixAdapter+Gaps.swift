import Base
import HTTP
import Matrix

extension MatrixAdapter {
    /// Failures of one gap, waits between them included, until it stays as it is.
    private static let mostFailures = 3

    /// Fetches what a batch left out. False when the token was refused meanwhile: then the batch is of no use yet.
    func fillGaps(of batch: inout SyncBatch, _ access: Access) async -> Bool {
        for var gap in session?.gaps(in: batch, longestAge: longestAge) ?? [] {
            let isUsable = await fill(&gap, access)
            if Task.isCancelled || !isUsable { return false }
            if gap.isCutShort { log.warning("too many messages were missed to read them all", ["room": gap.room]) }
            batch.fill(gap)
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
