import Foundation
import Testing

@testable import IRC

@Suite("IRC: many channels and many people")
struct CrowdTests {
    private static func server(_ count: Int) -> Server {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = (0..<count).map { IRCSettings.Channel("#channel-\($0)") }
        return Server(settings, lines: [":irc.test 005 gifbot WHOX MONITOR=100 PREFIX=(qaohv)~&@%+ :are supported"])
    }

    @Test("S5: a thousand channels are joined under flood control, in few lines, and each is there in the end")
    func thousandChannels() {
        var settings = IRCSettings(nick: "gifbot")
        settings.channels = (0..<1000).map { IRCSettings.Channel("#channel-\($0)") }
        var now = ContinuousClock.now
        var session = IRCSession(settings: settings, seed: 7, at: now)
        var effects: [IRCSession.Effect] = []
        func feed(_ line: String) {
            Array(line.utf8).withUnsafeBytes { session.received($0, at: now, wall: 0, &effects) }
        }
        session.connected(at: now, &effects)
        feed(":irc.test 001 gifbot :hi")
        feed(":irc.test 376 gifbot :end")
        var joined: Set<String> = []
        var lines = 0
        let start = now
        while joined.count < 1000, start.duration(to: now) < .seconds(600) {
            for case .send(let bytes) in effects {
                let words = String(decoding: bytes.dropLast(2), as: UTF8.self).split(separator: " ")
                guard words[0] == "JOIN" else { continue }
                lines += 1
                for name in words[1].split(separator: ",") {
                    joined.insert(String(name))
                    feed(":gifbot!~g@h JOIN \(name)")
                    feed(":irc.test 353 gifbot = \(name) :@op-\(name.dropFirst()) gifbot")
                }
            }
            effects.removeAll()
            guard let due = session.nextDeadline() else { break }
            now = max(now, due)
            session.timeoutReached(at: now, &effects)
        }
        #expect(joined.count == 1000)
        #expect(lines < 40)
        #expect(start.duration(to: now) < .seconds(240))
        #expect(session.people.count == 1000)
    }

    @Test("what is known of people is bounded, and goes with them")
    func bounded() {
        var people = People()
        let mapping = Casemapping.rfc1459
        for number in 0..<20_000 {
            people.setRanks(1, of: mapping.fold("nick\(number)"), in: mapping.fold("#c\(number % 1000)"))
            people.setAccount("a", of: mapping.fold("nick\(number)"), mask: "m", until: nil)
            people.setBot(mapping.fold("nick\(number)"))
        }
        #expect(people.count == People.rankLimit + People.accountLimit + People.botLimit)
        #expect(!people.isOperator(mapping.fold("nick15000"), in: mapping.fold("#c0")))
        for number in 0..<20_000 { people.quit(mapping.fold("nick\(number)")) }
        #expect(people.count == 0)
        #expect(!people.hasOperators && !people.hasAccounts && !people.hasBots)
    }

    @Test("after many have come and gone, strangers' lines are dropped on their bytes again")
    func filter() {
        var server = Self.server(1)
        for number in 0..<20_000 {
            server.receive([":op!o@h MODE #channel-0 +o n\(number)", ":n\(number)!o@h QUIT :bye"])
        }
        let passed = (0..<1000).filter { number in
            Array(":stranger\(number)!o@h QUIT :bye".utf8).withUnsafeBytes { server.session.canMatter($0) }
        }.count
        #expect(passed < 200)
        #expect(server.session.people.count == 0)
    }

    @Test("the last 256 answers are remembered, and their ids")
    func answers() {
        var answers = SentAnswers()
        var numbers: [UInt32] = []
        for number in 0..<300 { numbers.append(answers.add("q\(number)", to: "#c", "text \(number)")) }
        #expect(answers.all("q43").isEmpty)
        #expect(answers.all("q44").count == 1)
        let echo = { (text: String) in
            answers.echoed(label: nil, target: "#C", text: text, id: "a", by: .ascii)
        }
        answers.takeBack(numbers[299])
        #expect(echo("text 299")?.id == "q299")
        #expect(echo("text 299") == nil)
        #expect(answers.all("q299").first?.messageID == "a")
        #expect(answers.echoed(label: "zzzzzzzzzzz", target: "#c", text: "", id: "x", by: .ascii) == nil)
    }

    /// Ten of a kind, so that the allocator's own habits don't count.
    @Test("a thousand channels with five operators each cost less than 4 MiB more than one")
    func memory() throws {
        func resident() throws -> Int {
            let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return try #require(Int(words[1])) * 4096
        }
        func servers(_ channels: Int) -> [Server] {
            (0..<10).map { _ in
                var server = Self.server(channels)
                for channel in 0..<channels {
                    let operators = (0..<5).map { "@operator-\(channel)-\($0)" }.joined(separator: " ")
                    server.receive([":irc.test 353 gifbot = #channel-\(channel) :\(operators) gifbot"])
                }
                server.effects = []
                return server
            }
        }
        let start = try resident()
        let small = servers(1)
        let one = try resident() - start
        let large = servers(1000)
        let thousand = try resident() - start - one
        #expect(small[0].session.people.count == 5 && large[0].session.people.count == 5000)
        #expect((thousand - one) / 10 < 4 << 20, "\((thousand - one) / 10) bytes")
    }
}
