public import Base

/// Keeps the calls a key has spent over a restart. Reads come from memory, writes never wait.
@Loop public protocol BudgetStore: AnyObject {
    /// The calls still inside the window, oldest first.
    func calls(of account: String, since: WallTime) -> [SpentCall]
    func record(callOf account: String, by share: String, at time: WallTime)
    /// A call that never left is given back.
    func remove(callOf account: String, by share: String, at time: WallTime)
}

public struct SpentCall: Hashable, Sendable {
    public let at: WallTime
    /// Who asked for it; empty where that isn't known.
    public let share: String

    public init(at: WallTime, share: String) {
        self.at = at
        self.share = share
    }
}
