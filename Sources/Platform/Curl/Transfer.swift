import CCurl

/// Something that libcurl does for somebody. Lives on curl's thread; told its end exactly once.
protocol Transfer: AnyObject {
    var id: UInt64 { get }
    var handle: EasyHandle { get }
    /// Whose limit it counts against.
    var host: String { get }

    /// libcurl is done, and the handle still holds what is to be known. True if it is to be added once more.
    func finished(_ code: CURLcode) -> Bool
    func cancelled()
}

/// Bodies held in memory by all transfers together.
final class BodyBudget {
    static let limit = 32 << 20
    private var used = 0

    /// False when it would be too much.
    func take(_ count: Int) -> Bool {
        guard used + count <= Self.limit else { return false }
        used += count
        return true
    }

    func giveBack(_ count: Int) {
        used -= count
    }
}
