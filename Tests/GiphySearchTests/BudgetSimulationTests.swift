import Base
import Foundation
import TestSupport
import Testing

@testable import GiphySearch

/// Days of 200 channels on a key with 100 calls an hour, through everything but the network.
@Loop struct BudgetSimulationTests {
    private static let channels = 200
    nonisolated private static let rule = BudgetRule(count: 100, period: .hours(1))

    /// What happened to one channel, by the hour in which it asked.
    private struct Channel {
        var asked = [Int](repeating: 0, count: 24)
        var got = [Int](repeating: 0, count: 24)
        /// Now: calls in the last hour, and whether it was refused since the last one.
        var calls: [Instant] = []
        var isWaiting = false
        var lastAsked: Instant?
    }

    private struct Ask {
        let second: Int
        let channel: Int
    }

    /// A day gone by.
    private struct Day {
        var channels: [Channel]
        var sent: [Instant] = []

        func asked(_ hour: Int) -> Int { channels.reduce(0) { $0 + $1.asked[hour] } }
        func got(_ hour: Int) -> Int { channels.reduce(0) { $0 + $1.got[hour] } }
        func about(_ hour: Int) -> Int { channels.count { $0.asked[hour] > 0 } }
        func served(_ hour: Int) -> Int { channels.count { $0.got[hour] > 0 } }
        /// What could have been had, hour by hour.
        var possible: Int { (0..<24).reduce(0) { $0 + min(rule.count, asked($1)) } }
    }

    /// In some hours, so many of a hundred, each channel has a burst somewhere: three to eight searches within a few minutes.
    private func asks(hours: Int) -> [Ask] {
        var random = SeededGenerator(seed: 20_261_130)
        var all: [Ask] = []
        for channel in 0..<Self.channels {
            for hour in 0..<24 where Int.random(in: 0..<100, using: &random) < hours {
                var second = hour * 3600 + Int.random(in: 0..<3300, using: &random)
                for _ in 0..<Int.random(in: 3...8, using: &random) where second < (hour + 1) * 3600 {
                    all.append(Ask(second: second, channel: channel))
                    second += Int.random(in: 5...60, using: &random)
                }
            }
        }
        return all.sorted { ($0.second, $0.channel) < ($1.second, $1.channel) }
    }

    private func day(hours: Int) async throws -> Day {
        let clock = ManualClock()
        let start = clock.now
        let http = FakeHTTP { _, count in .respond(giphyPage(["g\(count)"])) }
        let budget = Budget(
            account: "giphy", rule: Self.rule, store: MemoryBudgetStore(), clock: clock, channels: Self.channels)
        let source = HTTPGifSource(GiphyAPI(key: Secret("key")), http: http, budget: budget, clock: clock)
        let service = SearchService(
            sources: [source], cacheEntries: 100, clock: clock, log: Log("search", to: RecordingLog()))
        var day = Day(channels: [Channel](repeating: Channel(), count: Self.channels))
        for (number, ask) in asks(hours: hours).enumerated() {
            clock.advance(by: clock.now.duration(to: start.advanced(by: .seconds(ask.second))))
            let hour = ask.second / 3600
            day.channels[ask.channel].asked[hour] += 1
            day.channels[ask.channel].lastAsked = clock.now
            let words = SearchQuery(words: "w\(number)", rating: .g, language: "en", kind: .gif)
            switch await service.page(for: words, for: Asker(share: "net/#\(ask.channel)")) {
            case .success:
                day.channels[ask.channel].got[hour] += 1
                day.sent.append(clock.now)
                served(&day, ask.channel, at: clock.now)
            case .failure(.budgetUsedUp(let wait)):
                day.channels[ask.channel].isWaiting = true
                #expect(wait > .zero && wait <= .hours(1))
            case .failure(let failure): Issue.record("\(failure)")
            }
        }
        #expect(http.requests.count == day.sent.count)
        for (index, first) in day.sent.enumerated() where index + Self.rule.count < day.sent.count {
            #expect(first.duration(to: day.sent[index + Self.rule.count]) >= Self.rule.period)
        }
        return day
    }

    /// Whoever had a call in this period gets another only while one is left for each that asks and had none.
    private func served(_ day: inout Day, _ channel: Int, at now: Instant) {
        let start = now.advanced(by: .zero - Self.rule.period)
        for index in day.channels.indices { day.channels[index].calls.removeAll { $0 <= start } }
        let isSecond = !day.channels[channel].calls.isEmpty
        day.channels[channel].calls.append(now)
        day.channels[channel].isWaiting = false
        guard isSecond else { return }
        let left = Self.rule.count - day.channels.reduce(0) { $0 + $1.calls.count }
        let waiting = day.channels.count { channel in
            channel.isWaiting && channel.calls.isEmpty && channel.lastAsked.map { $0 > start } ?? false
        }
        #expect(waiting <= left)
    }

    @Test func aDayOf200Channels() async throws {
        let day = try await day(hours: 92)
        var widest = 0
        for hour in 0..<24 {
            let got = day.channels.filter { $0.asked[hour] > 0 }.map { $0.got[hour] }
            widest = max(widest, (got.max() ?? 0) - (got.min() ?? 0))
        }
        #expect(widest <= 1)
        let all = 24 * Self.rule.count
        let parts = day.channels.map { channel in
            let due = min(channel.asked.reduce(0, +), all / Self.channels)
            return Double(channel.got.reduce(0, +)) / Double(due)
        }
        let least = try #require(parts.min())
        #expect(least >= 0.8)
        let got = day.channels.map { $0.got.reduce(0, +) }
        report(
            day, "busy",
            "a channel got \(got.min() ?? 0) to \(got.max() ?? 0), widest difference in an hour \(widest), "
                + "least part \(Int(least * 100)) %")
    }

    @Test("Where only some of the 200 ask in an hour, the calls of the others aren't kept", arguments: [5, 15, 30])
    func aQuietDay(hours: Int) async throws {
        let day = try await day(hours: hours)
        // The first hour is like any first hour: nobody knows who will come.
        let possible = day.possible - min(Self.rule.count, day.asked(0))
        let got = day.sent.count - day.got(0)
        #expect(Double(got) >= (hours == 5 ? 0.9 : 0.75) * Double(possible))
        let asked = (1..<24).reduce(0) { $0 + day.about($1) }
        let served = (1..<24).reduce(0) { $0 + day.served($1) }
        #expect(Double(served) >= 0.9 * Double(asked))
        report(
            day, "quiet \(hours)", "without the first hour: sent \(got) of \(possible), served \(served) of \(asked)")
    }

    /// For `docs/budget.md`.
    private func report(_ day: Day, _ name: String, _ findings: String) {
        guard let path = ProcessInfo.processInfo.environment["GIFBOT_SIMULATION_REPORT"] else { return }
        let asked = (0..<24).reduce(0) { $0 + day.asked($1) }
        var text = "searches \(asked), sent \(day.sent.count) of \(day.possible)\n\(findings)\n"
        for hour in 0..<24 {
            text += "| \(hour) | \(day.about(hour)) | \(day.asked(hour)) | \(day.served(hour)) | \(day.got(hour)) |\n"
        }
        try? text.write(toFile: "\(path) \(name)", atomically: true, encoding: .utf8)
    }
}
