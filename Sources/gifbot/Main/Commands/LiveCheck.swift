import Base
import Bot
import Chat
import Curl
import GiphySearch
import Net
import State

/// `gifbot check --live`: tries servers, logins, rooms and keys, and says a line about each. It enters no room and says
/// nothing anywhere; on IRC it comes under another nick, so that a bot at work isn't disturbed.
@Loop final class LiveCheck {
    /// For each network and source.
    private static let limit = Duration.seconds(20)

    private let settings: Settings
    private let loop: EventLoop
    private let http = CurlClient(userAgent: Version.userAgent)
    private let say: (String) -> Void
    private(set) var isGood = true

    init(_ settings: Settings, loop: EventLoop, say: @escaping (String) -> Void) {
        self.settings = settings
        self.loop = loop
        self.say = say
    }

    /// All at the same time; each line comes when it is known.
    func run() async {
        let means = ProbeMeans(http: http, loop: loop, stateFolder: settings.program.state, limit: Self.limit)
        let networks = settings.networks.map { network in
            Loop.start {
                for finding in await network.probe(with: means) {
                    self.tell(network.name, finding.isGood, finding.text)
                }
            }
        }
        let sources = Loop.start { await self.trySources() }
        for task in networks + [sources] { await task.value }
        http.stop()
    }

    private func tell(_ name: String, _ isGood: Bool, _ text: String) {
        say("\(isGood ? "ok  " : "BAD ") \(name): \(text)")
        if !isGood { self.isGood = false }
    }

    // MARK: Sources

    /// A search counts in its key's budget, so the state is needed; where a bot holds it, that bot keeps the count.
    private func trySources() async {
        let silent = Log("state", to: Silence())
        var store: StateStore?
        do throws(StateError) {
            store = try StateStore.open(folder: settings.program.state, clock: loop, log: silent)
        } catch {
            switch error {
            case .inUse: break
            case .newerVersion, .unusable: tell("state", false, error.description)
            }
        }
        let maker = SourceMaker(
            http: http, store: store ?? StateStore.inMemory(clock: loop, log: silent),
            stateFolder: settings.program.state, clock: loop)
        for source in maker.sources(for: settings.search) {
            guard store != nil || source.policy.defaultBudget == nil else {
                tell(source.name, true, "not tried: the bot that is running keeps this key's budget")
                continue
            }
            await trySource(source)
        }
        await store?.close()
    }

    private func trySource(_ source: any GifSource) async {
        let query = SearchQuery(words: "hello", rating: .g, language: "en", kind: .gif)
        do throws(SourceFailure) {
            let page = try await source.page(for: PageRequest(query), by: loop.now.advanced(by: .seconds(10)))
            tell(source.name, true, "answers; \(page.gifs.count) results for hello")
        } catch {
            tell(source.name, false, error.description)
        }
    }
}
