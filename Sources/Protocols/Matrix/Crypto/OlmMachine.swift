/// End-to-end encryption of one device, without I/O: push what `/sync` brought, pull the calls to make, report how they
/// ended. Time (milliseconds since 1970) and random bytes are handed in; everything that changed is written to the store
/// before a method returns, so what it hands out may be sent.
public final class OlmMachine {
    public let userID: String
    public let deviceID: String
    let driver: any OlmDriver
    let store: any CryptoStore
    let random: (Int) -> [UInt8]

    /// Makes the device's keys when the store is empty.
    public init(
        userID: String, deviceID: String, driver: any OlmDriver, store: any CryptoStore, pickleKey: [UInt8],
        random: @escaping (Int) -> [UInt8]
    ) throws(CryptoError) {
        self.userID = userID
        self.deviceID = deviceID
        self.driver = driver
        self.store = store
        self.random = random
    }
}
