import Base
import MatrixCrypto

/// Why the keys of an account can't be used, although nothing is wrong with them. It is looked again, ever later; until then
/// encrypted rooms get nothing.
struct KeyTrouble {
    enum Kind {
        /// There is no libolm on this machine, so nothing that comes could be read: the account goes on without encryption.
        case library
        /// The store can't be opened now, as on a full disk. What the server tells of keys it tells once, so the account reads
        /// its plain rooms, but doesn't go on from where it is.
        case store
    }

    let kind: Kind
    let text: String
    private(set) var nextLook: Instant
    private var backoff = Backoff(first: .seconds(1), longest: .minutes(1))

    /// After another look; `earlier` is what the last one found.
    init(_ error: CryptoError, after earlier: KeyTrouble?, now: Instant, random: Double) {
        if case .olm(let fault) = error, fault.reason == .notInstalled { kind = .library } else { kind = .store }
        text = error.text
        if let earlier { backoff = earlier.backoff }
        nextLook = now + backoff.next(spread: random)
    }
}
