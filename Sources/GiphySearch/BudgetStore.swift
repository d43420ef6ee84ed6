public import Base

/// Keeps the calls a key has spent over a restart. Reads come from memory, writes never wait.
@Loop public protocol BudgetStore: AnyObject {
    /// Times of the calls still inside the window, oldest first.
    func calls(of account: String, since: WallTime) -> [WallTime]
    func record(callOf account: String, at time: WallTime)
    /// A call that never left is given back.
    func remove(callOf account: String, at time: WallTime)
}
