/// Calls that wait for their turn or for their answer. Each is given out once; one that failed for a while comes again after
/// a pause of 1, 2, 4 ... 60 seconds, with everything in it unchanged (a `PUT /sendToDevice` keeps its transaction id).
struct CallQueue {
    static let firstPause: Int64 = 1_000
    static let longestPause: Int64 = 60_000
    /// Milliseconds after which nobody waits any longer for a call that fails again and again; it goes on being made.
    static let patience: Int64 = 20_000

    private struct Entry {
        let request: CryptoRequest
        let part: any CryptoPart
        var isGivenOut = false
        /// When it was first given out.
        var since: Int64?
        var failures = 0
        var notBefore: Int64 = 0
    }

    private var entries: [Entry] = []
    private var lastID: UInt64 = 0

    /// Calls that are neither answered nor given up.
    var count: Int { entries.count }

    @discardableResult
    mutating func add(_ call: CryptoRequest.Call, for part: any CryptoPart) -> UInt64 {
        lastID += 1
        entries.append(Entry(request: CryptoRequest(id: lastID, call: call), part: part))
        return lastID
    }

    mutating func due(now: Int64) -> [CryptoRequest] {
        var out: [CryptoRequest] = []
        for index in entries.indices where !entries[index].isGivenOut && entries[index].notBefore <= now {
            entries[index].isGivenOut = true
            entries[index].since = entries[index].since ?? now
            out.append(entries[index].request)
        }
        return out
    }

    /// Nil for one that isn't there.
    func find(_ id: UInt64) -> (call: CryptoRequest.Call, part: any CryptoPart)? {
        entries.first { $0.request.id == id }.map { ($0.request.call, $0.part) }
    }

    /// Takes a call out whose end is known; nil for one that isn't there.
    @discardableResult
    mutating func finish(_ id: UInt64) -> (call: CryptoRequest.Call, part: any CryptoPart)? {
        guard let index = entries.firstIndex(where: { $0.request.id == id }) else { return nil }
        let entry = entries.remove(at: index)
        return (entry.request.call, entry.part)
    }

    /// Puts a call back that failed for a while; true when nobody should wait for it any longer.
    mutating func postpone(_ id: UInt64, now: Int64) -> Bool {
        guard let index = entries.firstIndex(where: { $0.request.id == id }) else { return false }
        let pause = min(Self.firstPause << Int64(min(entries[index].failures, 6)), Self.longestPause)
        entries[index].isGivenOut = false
        entries[index].failures += 1
        entries[index].notBefore = now + pause
        guard entries[index].failures > 1, let since = entries[index].since else { return false }
        return now - since >= Self.patience || now < since
    }

    var nextDeadline: Int64? {
        entries.lazy.filter { !$0.isGivenOut }.map(\.notBefore).min()
    }
}
