/// Why encryption can't go on, in words fit for a log.
public enum CryptoError: Error, Equatable, Sendable {
    case olm(OlmError)
    /// The store can't be read or written now; the reason is the file system's or the database's.
    case store(String)
    /// What was in the store is lost, and it won't work again: a device can't go on without its keys.
    case storeLost(String)
    /// The keys in the store are not those that the homeserver has for this device.
    case otherIdentity
    /// `encrypt` was called without a `prepare` that said `ready`.
    case notPrepared
    /// The content can't be written as canonical JSON, or is larger than an event may be.
    case unusableContent
}
