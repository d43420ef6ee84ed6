import Base

/// How one source stands: for `limits`, and for the operator's `status`.
public struct SourceStatus: Equatable, Sendable {
    /// As the config names it.
    public let name: String
    /// Why it isn't asked at the moment; a budget used up is in `budget` and not here.
    public let trouble: SourceFailure?
    /// Nil where calls aren't counted.
    public let budget: BudgetStatus?

    public init(name: String, trouble: SourceFailure?, budget: BudgetStatus?) {
        self.name = name
        self.trouble = trouble
        self.budget = budget
    }
}

/// The calls of a key, and what is left of them for one asker.
public struct BudgetStatus: Equatable, Sendable {
    /// Calls in the period that ends now.
    public let used: Int
    public let rule: BudgetRule
    /// How many of them this asker had.
    public let usedHere: Int
    /// How long this asker has to wait for a call, as far as is known; nil when there is one now.
    public let returnsIn: Duration?

    public init(used: Int, rule: BudgetRule, usedHere: Int, returnsIn: Duration?) {
        self.used = used
        self.rule = rule
        self.usedHere = usedHere
        self.returnsIn = returnsIn
    }
}
