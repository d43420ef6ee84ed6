public import Base
public import HTTP

/// Makes the sources that the settings name, and keeps those that a reload didn't touch: their budget, their rest after failures,
/// and the verdict on their key go on.
@Loop public final class SourceMaker {
    private let http: any HTTPClient
    private let store: any BudgetStore
    private let samplesFolder: String
    private let program: String
    private let clock: any LoopClock
    private let log: Log?
    private let catalog: FolderCatalogOpener?
    private var made: [(settings: SearchSettings.Source, source: any GifSource)] = []
    /// By account. A key taken out and put in again finds its calls counted.
    private var budgets: [String: Budget] = [:]
    private var channels = 0

    /// The samples are written to `samples` below `stateFolder`, if they are asked for. `program` is name and version, for sources
    /// that want to know who asks. `catalog` finds the index of a folder.
    public init(
        http: any HTTPClient, store: any BudgetStore, stateFolder: String, program: String = "gifbot",
        clock: any LoopClock, log: Log? = nil, catalog: FolderCatalogOpener? = nil
    ) {
        self.catalog = catalog
        self.http = http
        self.store = store
        samplesFolder = stateFolder + "/samples"
        self.program = program
        self.clock = clock
        self.log = log
    }

    /// `channels`: how many the bot serves, all networks together; they share each key's calls.
    public func sources(for settings: SearchSettings, channels: Int = 0) -> [any GifSource] {
        self.channels = channels
        for budget in budgets.values { budget.expect(channels: channels) }
        made = settings.sources.map { wanted in
            made.first { $0.settings == wanted } ?? (wanted, source(for: wanted))
        }
        return made.map(\.source)
    }

    private func source(for settings: SearchSettings.Source) -> any GifSource {
        switch settings {
        case .giphy(let keyed):
            return source(
                GiphyAPI(
                    key: keyed.key, base: keyed.baseURL, policy: settings.policy, translates: keyed.translates,
                    suggests: keyed.suggests), keyed.key, keyed.budget)
        case .klipy(let keyed):
            return source(
                KlipyAPI(key: keyed.key, base: keyed.baseURL, policy: settings.policy), keyed.key, keyed.budget)
        case .commons(let free):
            let api = CommonsAPI(
                contact: free.contact, program: program, base: free.baseURL, policy: settings.policy)
            return source(api, nil, free.budget)
        case .openverse(let free):
            return source(OpenverseAPI(base: free.baseURL, policy: settings.policy), nil, free.budget)
        case .folder(let folder):
            guard let path = folder.path else {
                return FolderSource.samples(
                    in: samplesFolder, publicURL: folder.publicURL, rating: folder.rating, clock: clock)
            }
            return FolderSource(
                path: path, publicURL: folder.publicURL, rating: folder.rating, clock: clock, log: log,
                catalog: catalog)
        }
    }

    private func source(_ api: some GifAPI, _ key: Secret?, _ rule: BudgetRule?) -> any GifSource {
        HTTPGifSource(api, http: http, budget: budget(for: api.name, key, rule), clock: clock)
    }

    /// Without a key it is this machine that is counted.
    private func budget(for source: String, _ key: Secret?, _ rule: BudgetRule?) -> Budget {
        let account = key.map { budgetAccount(source: source, key: $0) } ?? source
        if let known = budgets[account] {
            known.rule = rule
            return known
        }
        let budget = Budget(account: account, rule: rule, store: store, clock: clock, channels: channels)
        budgets[account] = budget
        return budget
    }
}

/// `giphy:` and 64 bits that tell keys apart. Too few to get a key of a hundred and more bits back from what is stored.
func budgetAccount(source: String, key: Secret) -> String {
    let digits = String(shortDigest(key.value), radix: 16)
    return source + ":" + String(repeating: "0", count: 16 - digits.count) + digits
}
