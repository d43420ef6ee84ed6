import Base

/// Says which failures are worth a line: new ones at once, known ones after ten minutes and then every hour.
struct FailureLog {
    private static let capacity = 16

    private var told: [String: (at: Instant, times: Int)] = [:]
    /// A failure was told and nothing good since.
    private(set) var isOpen = false

    mutating func isNews(_ text: String, now: Instant) -> Bool {
        if let last = told[text] {
            let pause: Duration = last.times == 1 ? .minutes(10) : .hours(1)
            guard last.at + pause <= now else { return false }
        }
        if told[text] == nil, told.count >= Self.capacity, let oldest = told.min(by: { $0.value.at < $1.value.at }) {
            told[oldest.key] = nil
        }
        told[text] = (now, (told[text]?.times ?? 0) + 1)
        isOpen = true
        return true
    }

    /// Things work. True when that is worth a line. What was told stays known, so that a server that comes and goes
    /// makes no storm of lines.
    mutating func recovered() -> Bool {
        defer { isOpen = false }
        return isOpen
    }
}
