/// History that a server or bouncer plays back must not be answered. Its signs are gathered here.
struct Replay: Sendable {
    /// Open batches at a time; the oldest is forgotten, and lines of a forgotten batch count as history.
    private static let batchLimit = 64
    private static let markedLimit = 256

    enum Kind: Equatable, Sendable {
        /// What happens now, in several lines.
        case live
        /// A type that isn't known: its messages may be old, what it tells of people is taken in.
        case unknown
        case history
    }

    private static let liveTypes: Set<String> = ["netsplit", "netjoin", "labeled-response", "draft/multiline"]

    private var batches: [(id: String, kind: Kind)] = []
    /// Conversations between a bouncer's begin and end marks, or after a server's announcement.
    private var marked: [FoldedName: Tick] = [:]

    /// `BATCH +id type …`; `outer` is the batch it stands in itself.
    mutating func open(_ id: String, type: String, outer: String?) {
        close(id)
        if batches.count == Self.batchLimit { batches.removeFirst() }
        let isHistory =
            type.contains("history") || type.contains("playback") || (outer.map { kind($0) == .history } ?? false)
        let isUnknown = !Self.liveTypes.contains(type) || (outer.map { kind($0) == .unknown } ?? false)
        batches.append((id, isHistory ? .history : isUnknown ? .unknown : .live))
    }

    mutating func close(_ id: String) {
        batches.removeAll { $0.id == id }
    }

    func kind(_ id: String) -> Kind {
        batches.first { $0.id == id }?.kind ?? .history
    }

    mutating func mark(_ conversation: FoldedName, until: Tick) {
        if marked.count >= Self.markedLimit { marked.removeAll() }
        marked[conversation] = until
    }

    mutating func unmark(_ conversation: FoldedName) {
        marked[conversation] = nil
    }

    var hasMarks: Bool { !marked.isEmpty }

    func isMarked(_ conversation: FoldedName, at now: Tick) -> Bool {
        guard let until = marked[conversation] else { return false }
        return now < until
    }
}

/// The last ids of messages, so that none is answered twice.
struct RecentIDs: Sendable {
    static let limit = 256

    private var order: [String] = []
    private var oldest = 0
    private var known: Set<String> = []

    func contains(_ id: String) -> Bool { known.contains(id) }

    /// False if the id was here already.
    mutating func insert(_ id: String) -> Bool {
        guard known.insert(id).inserted else { return false }
        if order.count < Self.limit {
            order.append(id)
        } else {
            known.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % Self.limit
        }
        return true
    }
}
