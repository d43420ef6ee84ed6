import Base
import Testing

@Suite struct BackoffTests {
    @Test("BUG-11: waits double up to the ceiling")
    func doubles() {
        var backoff = Backoff(first: .seconds(6), longest: .seconds(60))
        let waits = (0..<6).map { _ in backoff.next(spread: 0.5) }
        #expect(waits.map { Int($0.milliseconds) } == [6000, 12000, 24000, 48000, 60000, 60000])
        backoff.reset()
        #expect(backoff.next(spread: 0.5).milliseconds == 6000)
    }

    @Test("BUG-11: spread by a third either way, never above the ceiling")
    func spreads() {
        let backoff = Backoff(first: .seconds(6), longest: .seconds(60))
        for (spread, expected) in [(0.0, 4000), (0.5, 6000), (0.999_999_9, 7999)] {
            var copy = backoff
            #expect(copy.next(spread: spread).milliseconds == expected)
        }
        var late = backoff
        for _ in 0..<100 { #expect(late.next(spread: 0.99) <= .seconds(60)) }
    }

    @Test("BUG-11: a throttle doubles once more")
    func throttled() {
        var backoff = Backoff(first: .seconds(6), longest: .seconds(60))
        backoff.double()
        #expect(backoff.next(spread: 0.5).milliseconds == 12000)
    }

    @Test func aCeilingBelowTheFirstWaitHolds() {
        var backoff = Backoff(first: .seconds(60), longest: .seconds(6))
        #expect(backoff.next(spread: 0.5) == .seconds(6))
    }
}

@Suite struct DurationTests {
    @Test(arguments: [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (60_000, 60)])
    func secondsAreRoundedUp(milliseconds: Int, seconds: Int64) {
        #expect(Duration.milliseconds(milliseconds).secondsRoundedUp == seconds)
    }

    @Test func wallTimeMovesByMilliseconds() {
        let time = WallTime(milliseconds: 1000)
        #expect(time.advanced(by: .microseconds(2500)).milliseconds == 1002)
        #expect(time.advanced(by: .seconds(-2)).milliseconds == -1000)
        #expect(Duration.days(1) == .hours(24) && Duration.hours(1) == .minutes(60))
    }
}
