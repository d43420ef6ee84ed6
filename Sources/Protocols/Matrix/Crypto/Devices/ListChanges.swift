/// The position up to which changes of device lists are known, and what to do when syncs don't go on from there
/// (`GET /keys/changes`).
struct ListChanges {
    private static let name = "devices.position"

    private let context: CryptoContext
    /// Up to where everything is known; nil before the first sync.
    private var known: String?
    private var newest: String?
    private var isAsked = false
    /// A gap is being asked about.
    private(set) var isOpen = false

    init(_ context: CryptoContext) throws(CryptoError) {
        self.context = context
        known = try context.value(of: Self.name).map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func resumes(from position: String?) {
        guard let known, known != position else { return }
        isOpen = true
        isAsked = false
    }

    mutating func received(_ nextBatch: String) {
        guard !nextBatch.isEmpty else { return }
        newest = nextBatch
        if !isOpen { keep(nextBatch) }
    }

    /// Once there is a position to ask up to.
    mutating func call() -> CryptoRequest.Call? {
        guard isOpen, !isAsked, let known, let newest else { return nil }
        isAsked = true
        return .keyChanges(from: known, to: newest)
    }

    mutating func answered(upTo end: String) {
        isOpen = false
        isAsked = false
        keep(newest ?? end)
    }

    mutating func gaveUp() {
        isOpen = false
        isAsked = false
        if let newest { keep(newest) }
    }

    private mutating func keep(_ position: String) {
        guard known != position else { return }
        known = position
        context.changes.values[Self.name] = .some(Array(position.utf8))
    }
}
