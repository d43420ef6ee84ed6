import JSON

/// To-device events whose arrival nobody waits for, and encrypted ones that wait for a session.
final class ToDeviceOutbox: CryptoPart {
    /// Calls that wait; what comes beyond is dropped, it is the least that matters.
    private static let limit = 500

    private let context: CryptoContext

    init(_ context: CryptoContext) {
        self.context = context
    }

    /// In clear, the same content to each.
    func send(_ type: String, _ content: JSONValue, to devices: [DeviceName]) {
        send(type, devices.map { (device: $0, content: content) })
    }

    func send(_ type: String, _ contents: [(device: DeviceName, content: JSONValue)]) {
        guard context.calls.count < Self.limit, !contents.isEmpty else { return }
        context.calls.add(
            .toDevice(type: type, transaction: transaction(), messages: Self.messages(contents)), for: self)
    }

    func transaction() -> String { context.randomName() }

    /// By user and device.
    static func messages(_ contents: [(device: DeviceName, content: JSONValue)]) -> JSONValue {
        let ofUser = Dictionary(grouping: contents, by: \.device.user)
        return .object(
            JSONObject(
                ofUser.map { user, contents in
                    .init(user, .object(JSONObject(contents.map { .init($0.device.device, $0.content) })))
                }))
    }

    func makeCalls(now: Int64) throws(CryptoError) {}
    var nextDeadline: Int64? { nil }
}

extension CryptoContext {
    /// A name that nobody had before: 16 random bytes in hex.
    func randomName() -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: random(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
