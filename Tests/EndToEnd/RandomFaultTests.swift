import Foundation
import Synchronization
import Testing

extension EndToEnd {
    /// A crowd asks without end while all sources fail in every way: over a real server, by the real program.
    @Suite struct RandomFaults {
        /// FAULTS in the environment makes it the long run: 10,000 take some two minutes.
        private static var commands: Int { ProcessInfo.processInfo.environment["FAULTS"].flatMap { Int($0) } ?? 4000 }
        /// Seconds that a command may take, as the program itself measures it: ten for all sources together. As much again is for
        /// a machine that is so busy that the loop's turns come late; three sources with ten each would still be over it.
        private static let longestWait = 20
        /// Seconds that the test waits for the bot to say something. Only a bot that hangs takes so long.
        private static let patience = 60
        /// Commands on their way at one time; the bot takes 256.
        private static let atOnce = 200
        /// kB. A build for tests takes some 50,000, and bodies under way may take 32 MiB. Without bounds, the bodies of 64 MiB that
        /// its sources send would take it far over this.
        private static let mostMemory = 100_000
        /// kB more at the end than half-way, when all that is bounded is full; 3,000 were measured. What each command leaves behind
        /// adds up: 4 KiB each are over this.
        private static let mostGrowth = 8_000

        @Test("Thousands of random commands over faulty sources: each ends in time, in bounded memory, without the key")
        func crowd() async throws {
            let crowd = try await Crowd()
            let giphy = crowd.giphy
            let seed = SeededChance.seed
            print("faults by chance: GIFBOT_SEED=\(seed)")
            try await withBot(crowd.config) { bot in
                try await crowd.waitForBot()
                var sent = 0
                var random = SeededChance(seed: seed)
                try await giphy.failMixed(seed: Int(truncatingIfNeeded: seed), share: 0.15)
                var halfWay = 0
                while sent < Self.commands {
                    let open = try await crowd.status(within: Self.patience).open(of: sent)
                    for _ in 0..<min(max(0, Self.atOnce - open), Self.commands - sent) {
                        crowd.people.randomElement(using: &random)!.ask(&random)
                        sent += 1
                    }
                    if halfWay == 0, sent >= Self.commands / 2 { halfWay = memory("VmRSS", of: bot.program.pid) }
                    // The rest is on its way: nothing to look at for a moment.
                    try await Task.sleep(for: .milliseconds(20))
                }
                do {
                    try await eventually("all \(sent) commands to end", within: .seconds(Self.patience)) {
                        try await crowd.status(within: Self.patience).open(of: sent) == 0
                    }
                } catch {
                    throw Trouble("\(error): \(try await crowd.status(within: Self.patience))")
                }
                let end = try await crowd.status(within: Self.patience)
                #expect(end.commands == sent + crowd.questions.value && end.shed == 0)
                #expect(end.longestWait <= Self.longestWait, "\(end.longestWait) s")
                // Each answer that the bot counts is heard, once.
                try await eventually("\(end.answers) answers to be heard") { crowd.answersHeard >= end.answers }
                #expect(crowd.answersHeard == end.answers && end.answers > sent / 10)

                let (most, late) = (memory("VmHWM", of: bot.program.pid), memory("VmRSS", of: bot.program.pid))
                #expect(most > 0 && most < Self.mostMemory, "\(most) kB")
                #expect(halfWay > 0 && late - halfWay < Self.mostGrowth * sent / 4000, "\(halfWay) kB, then \(late) kB")
                let said = bot.program.output.lines + bot.program.errors.lines + crowd.everythingHeard
                for spelling in Faults.spellings { #expect(!said.contains { $0.contains(spelling) }, "\(spelling)") }
                let requests = try await giphy.requests
                #expect(requests.allSatisfy { $0.server == "giphy" }, "the key went elsewhere")
                let faults = try await giphy.faults
                // Their script deals all of them, one each in so many searches.
                #expect(["huge", "drip", "cut", "hang"].allSatisfy { faults[$0] ?? 0 > 0 }, "\(faults)")
                #expect(requests.count > sent / 10)
                print(
                    "commands \(sent), answers \(end.answers), requests \(requests.count), longest \(end.longestWait) s, "
                        + "memory \(halfWay) kB half-way, \(late) kB at the end, \(most) kB at most, faults "
                        + faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
                try await giphy.reset()
            }
        }
    }

    /// kB, as the kernel counts.
    private static func memory(_ name: String, of pid: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// Many channels with somebody in each, and an admin who asks the bot how it is.
private struct Crowd {
    struct Person: Sendable {
        let peer: IRCPeer
        let channel: String

        /// Something by chance; mostly a search that nobody has made.
        func ask(_ random: inout some RandomNumberGenerator) {
            let number = Int.random(in: 0..<1_000_000, using: &random)
            let rare = [
                "next", "prev", "#3", "list", "trending", "random", "random word \(number)", "sticker word \(number)",
                "preview word \(number)", "send", "cancel", "undo", "-n 2 word \(number)",
                "--rating g common \(number % 9)",
                "common \(number % 9)", "nothing \(number)", "limits", "help",
            ]
            let words = Bool.random(using: &random) ? "word \(number)" : rare.randomElement(using: &random)!
            peer.say("!gif \(words)", to: channel)
        }
    }

    /// What the bot says of itself.
    struct Status: Sendable {
        let commands: Int
        let answers: Int
        let shed: Int
        let inProgress: Int
        let longestWait: Int
        let questions: Int

        /// Commands of so many that aren't over: not arrived yet, or in progress. The question itself is, while it waits for its
        /// note on disk.
        func open(of sent: Int) -> Int { sent + questions - commands + max(0, inProgress - 1) }
    }

    final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() -> Int { count.add(1, ordering: .relaxed).newValue }
    }

    static let nick = "gif_crowd"
    /// As many as the server lets one be in; two people are in each.
    static let channels = 20
    let server: InspIRCd
    let giphy: FakeGiphy
    let boss: IRCPeer
    let people: [Person]
    let questions = Counter()

    init() async throws {
        giphy = try await EndToEnd.Faults.giphy.get()
        try await giphy.reset()
        server = try await InspIRCd(["--lenient"])
        boss = try await IRCPeer(nick: "boss_crowd", port: server.plainPort)
        boss.say("REGISTER boss-secret boss@lab.invalid", to: "NickServ")
        try await boss.hear("the account") { $0.command == "900" }
        try await boss.join("#f0")
        var people: [Person] = []
        for number in 0..<(2 * Self.channels) {
            let peer = try await IRCPeer(nick: "ada_\(number)", port: server.plainPort)
            let channel = "#f\(number % Self.channels)"
            try await peer.join(channel)
            people.append(Person(peer: peer, channel: channel))
        }
        self.people = people
    }

    var config: String {
        [
            Config.head(admins: ["lab/boss_crowd"]), "irc:",
            Config.irc(server, nick: Self.nick, channels: people.prefix(Self.channels).map(\.channel)),
            """
            search:
              providers: [giphy, klipy, commons]
              cache: {entries: 200}
              giphy: {key: "\(EndToEnd.Faults.key)", base_url: "\(giphy.url)", budget: off}
              klipy: {key: "\(EndToEnd.Faults.key)", base_url: "\(giphy.url)/v2", budget: off}
              commons: {contact: "mailto:lab@example.org", base_url: "\(giphy.url)", rating: g, budget: off}
            log: {level: debug}
            """,
        ].joined(separator: "\n")
    }

    func waitForBot() async throws {
        for person in people { try await person.peer.hearJoin(of: Self.nick) }
    }

    /// Within seconds.
    func status(within limit: Int) async throws -> Status {
        let mark = boss.mark
        let asked = questions.add()
        boss.say("!gif admin status", to: "#f0")
        let line = try await boss.hear("the bot's status", from: mark, within: .seconds(limit)) {
            $0.nick == Self.nick && $0.command == "NOTICE" && $0.text.hasPrefix("Status:")
        }
        func number(before word: String) -> Int {
            line.text.components(separatedBy: word).first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? -1
        }
        let wait = line.text.components(separatedBy: "longest wait ").last?.prefix { $0.isNumber } ?? ""
        return Status(
            commands: number(before: " commands,"), answers: number(before: " answers,"),
            shed: number(before: " too many"), inProgress: number(before: " in progress"),
            longestWait: Int(wait) ?? .max, questions: asked)
    }

    /// GIFs said in the channels: by one in each.
    var answersHeard: Int {
        people.prefix(Self.channels).reduce(0) { count, person in
            count
                + person.peer.messages(of: Self.nick).count {
                    $0.command == "PRIVMSG" && $0.parameters.first == person.channel
                }
        }
    }

    var everythingHeard: [String] { (people.map(\.peer) + [boss]).flatMap { $0.lines.map(\.description) } }
}
