import Base

/// Goes through a list, `width` items at a time, in order. Returns when all is done, at the latest at the deadline or when the task
/// is cancelled: then what is under way is cancelled too, and the rest isn't begun.
@Loop func sideBySide<Item: Sendable>(
    _ items: [Item], width: Int, by deadline: Instant, clock: any LoopClock,
    _ work: @escaping @Loop @Sendable (Item) async -> Void
) async {
    guard !items.isEmpty else { return }
    let list = WorkList(items)
    let tasks = RunningTasks<Int>()
    let gate = Gate(clock: clock)
    for worker in 0..<min(width, items.count) {
        tasks.start(worker) {
            while !Task.isCancelled, let item = list.next() {
                await work(item)
                if list.finishedOne() { gate.open() }
            }
        }
    }
    await gate.wait(by: deadline)
    tasks.cancelAll()
}

@Loop private final class WorkList<Item: Sendable> {
    private let items: [Item]
    private var begun = 0
    private var open: Int

    init(_ items: [Item]) {
        self.items = items
        open = items.count
    }

    func next() -> Item? {
        guard begun < items.count else { return nil }
        begun += 1
        return items[begun - 1]
    }

    /// True when it was the last.
    func finishedOne() -> Bool {
        open -= 1
        return open == 0
    }
}
