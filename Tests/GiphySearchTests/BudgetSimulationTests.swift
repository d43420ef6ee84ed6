import Base
import Foundation
import TestSupport
import Testing

@testable import GiphySearch

/// A day of 200 channels on a key with 100 calls an hour, through everything but the network.
@Loop struct BudgetSimulationTests {
    private static let channels = 200
    private static let rule = BudgetRule(count: 100, period: .hours(1))

    /// What happened to one channel, by the hour in which it asked.
    private struct Channel {
        var asked = [Int](repeating: 0, count: 24)
        var got = [Int](repeating: 0, count: 24)
        var refused = [Int](repeating: 0, count: 24)
    }

    private struct Ask {
        let second: Int
        let channel: Int
    }

    /// Nearly each hour each channel has a burst somewhere in it: three to eight searches within a few minutes.
    private func asks() -> [Ask] {
        var random = SeededGenerator(seed: 20_261_130)
        var all: [Ask] = []
        for channel in 0..<Self.channels {
            for hour in 0..<24 where Int.random(in: 0..<100, using: &random) < 92 {
                var second = hour * 3600 + Int.random(in: 0..<3300, using: &random)
                for _ in 0..<Int.random(in: 3...8, using: &random) where second < (hour + 1) * 3600 {
                    all.append(Ask(second: second, channel: channel))
                    second += Int.random(in: 5...60, using: &random)
                }
            }
        }
        return all.sorted { ($0.second, $0.channel) < ($1.second, $1.channel) }
    }

    @Test func aDayOf200Channels() async throws {
        let clock = ManualClock()
        let start = clock.now
        var sent: [Instant] = []
        let http = FakeHTTP { _, count in .respond(giphyPage(["g\(count)"])) }
        let budget = Budget(
            account: "giphy", rule: Self.rule, store: MemoryBudgetStore(), clock: clock, channels: Self.channels)
        let source = HTTPGifSource(GiphyAPI(key: Secret("key")), http: http, budget: budget, clock: clock)
        let service = SearchService(
            sources: [source], cacheEntries: 100, clock: clock, log: Log("search", to: RecordingLog()))
        var channels = [Channel](repeating: Channel(), count: Self.channels)
        for (number, ask) in asks().enumerated() {
            clock.advance(by: clock.now.duration(to: start.advanced(by: .seconds(ask.second))))
            let hour = ask.second / 3600
            channels[ask.channel].asked[hour] += 1
            let words = SearchQuery(words: "w\(number)", rating: .g, language: "en", kind: .gif)
            switch await service.page(for: words, for: Asker(share: "net/#\(ask.channel)")) {
            case .success:
                channels[ask.channel].got[hour] += 1
                sent.append(clock.now)
            case .failure(.budgetUsedUp(let wait)):
                channels[ask.channel].refused[hour] += 1
                #expect(wait > .zero && wait <= .hours(1))
            case .failure(let failure): Issue.record("\(failure)")
            }
        }
        #expect(http.requests.count == sent.count)
        for (index, first) in sent.enumerated() where index + Self.rule.count < sent.count {
            #expect(first.duration(to: sent[index + Self.rule.count]) >= Self.rule.period)
        }
        var widest = 0
        for hour in 0..<24 {
            let got = channels.filter { $0.asked[hour] > 0 }.map { $0.got[hour] }
            widest = max(widest, (got.max() ?? 0) - (got.min() ?? 0))
        }
        #expect(widest <= 1)
        let day = 24 * Self.rule.count
        let parts = channels.map { channel in
            let due = min(channel.asked.reduce(0, +), day / Self.channels)
            return Double(channel.got.reduce(0, +)) / Double(due)
        }
        let least = try #require(parts.min())
        #expect(least >= 0.8)
        report(channels, sent: sent.count, widest: widest, least: least)
    }

    /// For `docs/budget.md`.
    private func report(_ channels: [Channel], sent: Int, widest: Int, least: Double) {
        guard let path = ProcessInfo.processInfo.environment["GIFBOT_SIMULATION_REPORT"] else { return }
        let got = channels.map { $0.got.reduce(0, +) }
        let asked = channels.reduce(0) { $0 + $1.asked.reduce(0, +) }
        var text = "searches \(asked), sent \(sent) of \(24 * Self.rule.count)\n"
        text += "a channel got \(got.min() ?? 0) to \(got.max() ?? 0), widest difference in an hour \(widest), "
        text += "least part \(Int(least * 100)) %\n"
        for hour in 0..<24 {
            let all = channels.reduce(0) { $0 + $1.asked[hour] }
            let here = channels.filter { $0.asked[hour] > 0 }
            let served = here.filter { $0.got[hour] > 0 }.count
            text += "| \(hour) | \(here.count) | \(all) | \(served) |\n"
        }
        try? text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}
