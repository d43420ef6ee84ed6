public import Base
public import HTTP

/// Makes the sources that the settings name, and keeps those that a reload didn't touch: their budget, their rest after failures,
/// and the verdict on their key go on.
@Loop public final class SourceMaker {
    private let http: any HTTPClient
    private let store: any BudgetStore
    private let samplesFolder: String
    private let clock: any LoopClock
    private var made: [(settings: SearchSettings.Source, source: any GifSource)] = []
    /// By account. A key taken out and put in again finds its calls counted.
    private var budgets: [String: Budget] = [:]

    /// The samples are written to `samples` below `stateFolder`, if they are asked for.
    public init(http: any HTTPClient, store: any BudgetStore, stateFolder: String, clock: any LoopClock) {
        self.http = http
        self.store = store
        samplesFolder = stateFolder + "/samples"
        self.clock = clock
    }

    public func sources(for settings: SearchSettings) -> [any GifSource] {
        made = settings.sources.map { wanted in
            made.first { $0.settings == wanted } ?? (wanted, source(for: wanted))
        }
        return made.map(\.source)
    }

    private func source(for settings: SearchSettings.Source) -> any GifSource {
        switch settings {
        case .giphy(let giphy):
            let api = GiphyAPI(key: giphy.key, base: giphy.baseURL, policy: giphy.policy)
            return HTTPGifSource(api, http: http, budget: budget(for: api.name, giphy.key, giphy.budget), clock: clock)
        case .folder(let folder):
            guard let path = folder.path else {
                return FolderSource.samples(
                    in: samplesFolder, publicURL: folder.publicURL, rating: folder.rating, clock: clock)
            }
            return FolderSource(path: path, publicURL: folder.publicURL, rating: folder.rating, clock: clock)
        }
    }

    private func budget(for source: String, _ key: Secret, _ rule: BudgetRule?) -> Budget {
        let account = budgetAccount(source: source, key: key)
        if let known = budgets[account] {
            known.rule = rule
            return known
        }
        let budget = Budget(account: account, rule: rule, store: store, clock: clock)
        budgets[account] = budget
        return budget
    }
}

/// `giphy:` and 64 bits that tell keys apart (FNV-1a). Too few to get a key of a hundred and more bits back from what is stored.
func budgetAccount(source: String, key: Secret) -> String {
    let digest = key.value.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(digest, radix: 16)
    return source + ":" + String(repeating: "0", count: 16 - digits.count) + digits
}
