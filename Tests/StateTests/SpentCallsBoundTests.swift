import Base
import GiphySearch
import Testing

@testable import State

@Suite struct SpentCallsBoundTests {
    @Test("At the bound nothing goes that the largest budget counts")
    func bound() {
        var calls = SpentCalls()
        func call(_ number: Int) -> SpentCall {
            SpentCall(at: WallTime(milliseconds: Int64(number)), share: "here")
        }
        let largest = BudgetRule.largestCount
        for number in 0...largest { calls.record("k", call(number)) }
        #expect(calls.calls(of: "k", since: WallTime(milliseconds: 1)).count == largest)
        for number in (largest + 1)...(2 * largest) { calls.record("k", call(number)) }
        let kept = calls.calls(of: "k", since: WallTime(milliseconds: 0))
        #expect(kept.count == largest)
        #expect(kept.last == call(2 * largest))
    }
}
