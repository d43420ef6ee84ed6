import Base
import Testing

@testable import GiphySearch

struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    private func opened() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<3 {
            breaker.began()
            breaker.failed(at: start, spread: 0.5)
        }
        return breaker
    }

    @Test func opensAfterThreeFailuresInARow() {
        var breaker = CircuitBreaker()
        breaker.failed(at: start, spread: 0.5)
        breaker.failed(at: start, spread: 0.5)
        #expect(breaker.rest(at: start) == nil)
        breaker.succeeded()
        breaker.failed(at: start, spread: 0.5)
        breaker.failed(at: start, spread: 0.5)
        #expect(breaker.rest(at: start) == nil)
        breaker.failed(at: start, spread: 0.5)
        #expect(breaker.rest(at: start) == .seconds(10))
    }

    @Test func letsOneSearchTry() {
        var breaker = opened()
        let later = start.advanced(by: .seconds(10))
        #expect(breaker.rest(at: later) == nil)
        breaker.began()
        #expect(breaker.rest(at: later) != nil)
        breaker.succeeded()
        #expect(breaker.rest(at: later) == nil)
        #expect(breaker == CircuitBreaker())
    }

    @Test func restsLongerEachTime() {
        var breaker = opened()
        var now = start
        var rests: [Duration] = []
        for _ in 0..<8 {
            let rest = breaker.rest(at: now) ?? .zero
            rests.append(rest)
            now = now.advanced(by: rest)
            breaker.began()
            breaker.failed(at: now, spread: 0.5)
        }
        #expect(rests == rests.sorted())
        #expect(rests[1] == .seconds(20))
        #expect(rests.last == .minutes(5))
    }

    @Test func aTryGivenUpFreesThePlace() {
        var breaker = opened()
        let later = start.advanced(by: .seconds(10))
        breaker.began()
        breaker.gaveUp(at: later)
        #expect(breaker.rest(at: later) == nil)
        breaker.began()
        #expect(breaker.rest(at: later) != nil)
    }

    @Test func searchesThatBeganEarlierDontLengthenTheRest() {
        var breaker = opened()
        breaker.failed(at: start, spread: 0.5)
        breaker.gaveUp(at: start)
        #expect(breaker.rest(at: start) == .seconds(10))
    }
}
