import Base
import Bot
import Chat
import Curl
import FolderIndexing
import GiphySearch
import IRCAdapter
import MatrixAdapter
import Net
import State

/// Builds the objects of a running bot: the only file that names their concrete types.
@Loop final class Assembly {
    let loop: EventLoop
    let log: Log
    let store: StateStore
    /// Nil where nothing outlives the process.
    let pages: PageFile?
    let http: CurlClient
    let sources: SourceMaker
    let search: SearchService
    let bot: Bot
    private let stateFolder: String

    init(
        _ settings: Settings, store: StateStore, pages: PageFile? = nil, stateFolder: String, loop: EventLoop, log: Log
    ) {
        self.loop = loop
        self.log = log
        self.store = store
        self.pages = pages
        self.stateFolder = stateFolder
        http = CurlClient(userAgent: "gifbot/\(Version.number)")
        sources = SourceMaker(
            http: http, store: store, stateFolder: stateFolder, program: "gifbot/\(Version.number)",
            clock: loop, log: log.area("search"), catalog: { SQLiteCatalog(folder: $0, stateFolder: stateFolder) })
        let made = sources.sources(for: settings.search, channels: settings.channelCount)
        search = SearchService(
            sources: made, cacheEntries: settings.search.cacheEntries, pages: pages, clock: loop,
            log: log.area("search"))
        bot = Bot(
            settings: settings.bot, about: Self.about(made), search: search, store: store, clock: loop,
            log: log.area("bot"))
    }

    /// Swaps everything that needs no connection, in one step: a command in flight keeps what it began with.
    func update(_ settings: Settings) {
        let made = sources.sources(for: settings.search, channels: settings.channelCount)
        search.update(sources: made, cacheEntries: settings.search.cacheEntries)
        bot.about = Self.about(made)
        bot.settings = settings.bot
    }

    func adapter(_ network: IRCNetworkSettings, of settings: Settings) -> IRCAdapter {
        IRCAdapter(
            settings: network, people: settings.people(of: network),
            program: IRCProgram(version: Version.line, sourceURL: Version.source),
            transport: NetTransport(loop: loop, dialler: http), clock: loop, answered: store, policies: store,
            log: log.area("irc"), handler: bot,
            random: { UInt64.random(in: .min ... .max) })
    }

    func adapter(_ account: MatrixAccountSettings, of settings: Settings) -> MatrixAdapter {
        adapter(account, of: settings, handler: bot)
    }

    /// With somebody else than the bot behind it.
    func adapter(
        _ account: MatrixAccountSettings, of settings: Settings, handler: any ChatHandler
    ) -> MatrixAdapter {
        MatrixAdapter(
            settings: account, admins: settings.section.matrixAdmins, ignore: settings.section.matrixIgnored,
            ageLimit: settings.bot.longestAge(on: account.name), http: http, clock: loop, store: store,
            log: log.area("matrix"), handler: handler, crypto: keys, random: { Double.random(in: 0..<1) })
    }

    private var keys: MatrixKeys {
        MatrixKeys(folder: stateFolder, log: log, now: { [loop] in loop.wall.milliseconds })
    }

    private static func about(_ sources: [any GifSource]) -> About {
        About(version: Version.number, sourceURL: Version.source, credits: sources.map(\.policy.credit))
    }
}
