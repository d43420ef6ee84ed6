/// What a source's published rules allow, as code. An operator with permission of his own lifts it as a whole.
public struct ProviderPolicy: Hashable, Sendable {
    /// How long an answer may be kept in memory.
    public var keepsResultsFor: Duration
    /// Whether URLs may be kept on disk.
    public var mayStoreURLs: Bool
    /// Whether the file itself may be copied, to a Matrix media repository for instance.
    public var mayCopyFiles: Bool
    /// What the source wants named with its GIFs.
    public let credit: String
    /// Characters (Unicode scalars).
    public let maximumQueryLength: Int
    /// Results asked for at once.
    public let pageSize: Int
    /// Where its files lie; `*.` stands for one or more labels in front.
    public let mediaHosts: [String]
    public let defaultBudget: BudgetRule?

    public init(
        keepsResultsFor: Duration, mayStoreURLs: Bool, mayCopyFiles: Bool, credit: String, maximumQueryLength: Int,
        pageSize: Int, mediaHosts: [String], defaultBudget: BudgetRule?
    ) {
        self.keepsResultsFor = keepsResultsFor
        self.mayStoreURLs = mayStoreURLs
        self.mayCopyFiles = mayCopyFiles
        self.credit = credit
        self.maximumQueryLength = maximumQueryLength
        self.pageSize = pageSize
        self.mediaHosts = mediaHosts
        self.defaultBudget = defaultBudget
    }

    /// The rules with the source's permission in hand.
    public func lifted(keepingResultsFor lifetime: Duration) -> ProviderPolicy {
        var lifted = self
        lifted.keepsResultsFor = lifetime
        lifted.mayStoreURLs = true
        lifted.mayCopyFiles = true
        return lifted
    }
}
