import Base
import Bot
import Chat
import Curl
import FolderIndexing
import GiphySearch
import Net
import State

/// Builds the objects of a running bot, but for the adapters (`Networks`).
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
    let stateFolder: String

    init(
        _ settings: Settings, store: StateStore, pages: PageFile? = nil, stateFolder: String, loop: EventLoop, log: Log
    ) {
        self.loop = loop
        self.log = log
        self.store = store
        self.pages = pages
        self.stateFolder = stateFolder
        http = CurlClient(userAgent: Version.userAgent)
        sources = SourceMaker(
            http: http, store: store, stateFolder: stateFolder, program: Version.userAgent,
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

    private static func about(_ sources: [any GifSource]) -> About {
        About(version: Version.number, sourceURL: Version.source, credits: sources.map(\.policy.credit))
    }
}
