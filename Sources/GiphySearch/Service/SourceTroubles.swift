import Base

/// Tells the operator when a source begins to fail, when it fails in another way, and when it answers again.
@Loop struct SourceTroubles {
    private let log: Log
    /// The kind of trouble each source had last.
    private var kinds: [String: String] = [:]

    init(log: Log) {
        self.log = log
    }

    mutating func note(_ failure: SourceFailure, of source: String) {
        guard failure != .cancelled, kinds[source] != failure.kind else { return }
        // It rests because of what was told already.
        if case .resting = failure, kinds[source] != nil { return }
        kinds[source] = failure.kind
        log.warning("source gives no answer", ["source": source, "reason": failure.description])
    }

    mutating func noteAnswer(of source: String) {
        guard kinds.removeValue(forKey: source) != nil else { return }
        log.info("source answers again", ["source": source])
    }

    mutating func forget(allBut names: [String]) {
        kinds = kinds.filter { names.contains($0.key) }
    }
}
