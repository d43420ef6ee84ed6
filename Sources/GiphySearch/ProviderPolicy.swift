import Base

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
    /// Results asked for at once: a first page is answered from in most cases, so it is small and quick.
    public let pageSize: Int
    /// Who turns pages wants more of them, and each costs a call: as many as the source gives.
    public let laterPageSize: Int
    /// Where its files lie; `*.` stands for one or more labels in front.
    public let mediaHosts: [String]
    public let defaultBudget: BudgetRule?
    /// The one rating of all that a source without ratings holds, as the operator set it.
    public var fixedRating: Rating?
    /// For how long after that an answer may still serve while the source gives none.
    public var servesStaleFor = Duration.zero
    /// The folder on this machine that its files lie in, so that asking it again costs nothing; nil where they are elsewhere.
    public var folder: String?

    /// Pages worth keeping over a restart.
    var storesPages: Bool { mayStoreURLs && folder == nil && keepsResultsFor >= .minutes(5) }

    public init(
        keepsResultsFor: Duration, mayStoreURLs: Bool, mayCopyFiles: Bool, credit: String, maximumQueryLength: Int,
        pageSize: Int, laterPageSize: Int? = nil, mediaHosts: [String], defaultBudget: BudgetRule?
    ) {
        self.keepsResultsFor = keepsResultsFor
        self.mayStoreURLs = mayStoreURLs
        self.mayCopyFiles = mayCopyFiles
        self.credit = credit
        self.maximumQueryLength = maximumQueryLength
        self.pageSize = pageSize
        self.laterPageSize = laterPageSize ?? pageSize
        self.mediaHosts = mediaHosts
        self.defaultBudget = defaultBudget
    }

    /// Results that a request asks for.
    func pageSize(at position: String?) -> Int { position == nil ? pageSize : laterPageSize }

    /// The rules with the source's permission in hand.
    public func lifted(keepingResultsFor lifetime: Duration) -> ProviderPolicy {
        var lifted = self
        lifted.keepsResultsFor = lifetime
        lifted.mayStoreURLs = true
        lifted.mayCopyFiles = true
        return lifted
    }
}
