/// Knows which receipts were given back. Only the last 65,536 can be: far more than commands are ever in progress.
struct OpenReceipts: Sendable {
    private static let span: UInt64 = 65_536
    private var issued: UInt64 = 0
    private var closed: Set<UInt64> = []

    mutating func issue() -> UInt64 {
        issued += 1
        return issued
    }

    /// False when it was closed before, or is too old.
    mutating func close(_ number: UInt64) -> Bool {
        guard number + Self.span > issued, closed.insert(number).inserted else { return false }
        if closed.count > 2 * Self.span {
            closed = closed.filter { $0 + Self.span > issued }
        }
        return true
    }
}
