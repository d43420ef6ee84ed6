import Base
import Bot
import Chat
import GiphySearch
import HTTP
import IRC
import RateLimiter
import TestSupport

/// A cached command from the bytes of its line to the bytes of the answer, with everything real but the socket, the
/// store and the page.
@Loop enum PipelineCases {
    static func run(_ measure: Measure) {
        let line = Array(":ada!~ada@user/ada PRIVMSG #cats :!gif party\r\n".utf8)
        let adapter = BenchAdapter()
        var limits = ChannelOverrides()
        limits.limits.user = .rule(rule)
        limits.limits.channel = .rule(rule)
        limits.limits.global = .rule(rule)
        adapter.handler = Bot(
            settings: BotSettings(defaults: limits), about: About(version: "", sourceURL: "", credits: []),
            search: HeldPage(), store: NoStore(), clock: RunningClock(), log: Log("bench", to: RecordingLog()))
        let name = "pipeline: a cached command, line to line"
        measure(name) { count in
            for _ in 0..<count { adapter.read(line) }
        }
        precondition(adapter.answers > 0 || !measure.includes(name), "the pipeline did not answer")
    }

    private static var rule: RateLimitRule {
        guard let rule = try? RateLimitRule(parsing: "1000000/1s") else { preconditionFailure("a good rule") }
        return rule
    }
}

@Loop private final class BenchAdapter: ChatAdapter {
    let network = "bench"
    var handler: (any ChatHandler)?
    private(set) var answers = 0
    private var session: IRCSession
    private var framer = LineFramer()
    private var effects: [IRCSession.Effect] = []

    init() {
        var settings = IRCSettings(nick: "gifbot")
        settings.flood = nil
        settings.channels = [IRCSettings.Channel("#cats")]
        session = IRCSession(settings: settings, seed: 1, at: .now)
        session.connected(at: .now, &effects)
        for line in [
            ":irc.test CAP * LS :", ":irc.test 001 gifbot :Welcome", ":irc.test 376 gifbot :End",
            ":gifbot!~gifbot@bot.example JOIN #cats",
        ] {
            read(Array((line + "\r\n").utf8))
        }
    }

    func read(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            session.received(bytes, through: &framer, at: .now, wall: 0, &effects)
        }
        let work = effects
        effects.removeAll(keepingCapacity: true)
        for case .emit(.message(let message)) in work {
            handler?.received(
                ChatMessage(
                    id: nil, conversation: Conversation(network: network, name: message.conversation, isDirect: false),
                    sender: Sender(identity: .account("ada"), name: message.nick, isAdmin: false, isOperator: false),
                    text: message.text, isAddressed: message.isAddressed, age: .zero, address: message.replyTarget),
                from: self)
        }
    }

    func textBudget(for message: ChatMessage) -> Int {
        session.textBudget(for: message.address, notice: false)
    }

    func send(_ reply: Reply, to message: ChatMessage) -> SendOutcome {
        _ = session.say(reply.text, to: message.address, notice: false, at: .now, &effects)
        answers += 1
        effects.removeAll(keepingCapacity: true)
        return .accepted
    }

    func revise(_ reply: Reply, to message: ChatMessage) -> SendOutcome { .refused("nothing can be changed here") }

    func retract(_ answer: AnswerID, for message: ChatMessage) -> SendOutcome {
        .refused("nothing can be taken back here")
    }

    func began(_ message: ChatMessage) {}
    func finished(_ message: ChatMessage) {}

    func start() {}
    func stop(by deadline: Instant) async {}
}

@Loop private final class HeldPage: GifSearch {
    private let page: SearchPage

    init() {
        let body = Array(GiphyPage.text(results: 25).utf8)
        let request = PageRequest(SearchQuery(words: "party", rating: .g, language: "en", kind: .gif))
        let response = HTTPResponse(status: 200, body: body)
        guard let page = try? GiphyAPI(key: Secret("bench")).page(from: response, for: request)
        else { preconditionFailure("the bench's own page") }
        self.page = page
    }

    func held(_ query: SearchQuery, for asker: Asker) -> SearchPage? { page }
    func page(for query: SearchQuery, for asker: Asker) async -> Result<SearchPage, SearchFailure> { .success(page) }
    func page(
        after page: SearchPage, of query: SearchQuery, for asker: Asker
    ) async -> Result<SearchPage, SearchFailure> {
        .failure(.nothingFound)
    }
    func gif(id: String, of source: String, rating: Rating, for asker: Asker) async -> Result<Gif, SearchFailure> {
        .failure(.nothingFound)
    }
    func statuses(for asker: Asker) -> [SourceStatus] { [] }
    func findsByID(in source: String) -> Bool { false }
    func policy(of source: String) -> ProviderPolicy? { nil }
}

/// Real time, so that the limits refill; no timer is ever due.
final class RunningClock: LoopClock {
    var now: Instant { .now }
    var wall: WallTime { WallTime(milliseconds: 1_800_000_000_000) }
    @Loop func schedule(at instant: Instant, _ action: @escaping @Loop () -> Void) -> TimerID { TimerID(number: 0) }
    @Loop func cancel(_ timer: TimerID) {}
}

@Loop private final class NoStore: BotStore {
    private var shown: [String: UInt64] = [:]
    private var uses: UInt64 = 0

    func lastShown(in conversation: Conversation) -> [String: UInt64] { shown }
    func record(shown id: String, in conversation: Conversation, at time: WallTime) {
        uses += 1
        shown[id] = uses
    }
    func takeSavedBuckets() -> [SavedBucket] { [] }
    func record(_ bucket: SavedBucket) {}
    func forget(bucket: LimitKey) {}
    func takeAdminRecord() -> AdminRecord { AdminRecord() }
    func record(_ events: [AdminEvent]) {}
    var owesWriting: Bool { false }
    func written() async -> Bool { true }
    func savedGif(_ name: String, in conversation: Conversation) -> SavedGif? { nil }
    func savedNames(in conversation: Conversation) -> [String] { [] }
    func save(_ gif: SavedGif, in conversation: Conversation) -> Bool { false }
    func forget(saved name: String, in conversation: Conversation) -> Bool { false }
}
