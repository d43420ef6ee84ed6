import Base
import Testing

@testable import Net

@Suite("Deadline heap")
struct DeadlineHeapTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> Instant { start.advanced(by: .milliseconds(milliseconds)) }

    @Test("due timers come in order, equal ones in the order they were made")
    func order() {
        var heap = DeadlineHeap<Int>()
        for (index, due) in [50, 10, 30, 10, 90, 20, 10].enumerated() { _ = heap.add(at: at(due), index) }
        #expect(heap.next() == at(10))
        var taken: [Int] = []
        while let action = heap.popDue(at(50)) { taken.append(action) }
        #expect(taken == [1, 3, 6, 5, 2, 0])
        #expect(heap.next() == at(90))
    }

    @Test("a cancelled timer never comes, and cancelling again or too late is nothing")
    func cancel() {
        var heap = DeadlineHeap<String>()
        let first = heap.add(at: at(1), "first")
        let second = heap.add(at: at(2), "second")
        heap.remove(first)
        heap.remove(first)
        #expect(heap.next() == at(2))
        #expect(heap.popDue(at(5)) == "second")
        heap.remove(second)
        #expect(heap.count == 0)
        #expect(heap.next() == nil)
    }

    @Test("a deadline moved a hundred thousand times takes no more room than one")
    func moved() {
        var heap = DeadlineHeap<Int>()
        var last = heap.add(at: at(0), 0)
        for step in 1...100_000 {
            heap.remove(last)
            last = heap.add(at: at(step), step)
            #expect(heap.size < 100)
        }
        #expect(heap.popDue(at(200_000)) == 100_000)
    }

    @Test("against a sorted list, with every second one cancelled")
    func model() {
        var heap = DeadlineHeap<Int>()
        var expected: [Int] = []
        var random = SystemRandomNumberGenerator()
        var numbers: [(UInt64, Int)] = []
        for _ in 0..<500 {
            let due = Int.random(in: 0..<1000, using: &random)
            numbers.append((heap.add(at: at(due), due), due))
        }
        for (index, (number, due)) in numbers.enumerated() {
            if index % 2 == 0 { heap.remove(number) } else { expected.append(due) }
        }
        var taken: [Int] = []
        while let action = heap.popDue(at(1000)) { taken.append(action) }
        #expect(taken == expected.sorted())
    }
}

@Suite("Watch table")
struct WatchTableTests {
    @Test("a slot is used again, its registration is not")
    func generations() {
        var table = WatchTable()
        let first = table.add(7) { _ in }
        #expect(table.remove(first) == 7)
        let second = table.add(7) { _ in }
        #expect(second.slot == first.slot)
        #expect(second != first)
        #expect(table.handler(first) == nil)
        #expect(table.remove(first) == nil)
        #expect(table.descriptor(second) == 7)
        #expect(Registration(token: second.token) == second)
    }

    @Test("no registration looks like the wake-up, and an unknown slot is nothing")
    func tokens() {
        var table = WatchTable()
        #expect(table.add(1) { _ in }.token != 0)
        #expect(table.handler(Registration(slot: 9, generation: 1)) == nil)
    }
}
