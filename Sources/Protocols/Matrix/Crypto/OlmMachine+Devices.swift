public import JSON

extension OlmMachine {
    /// Sends a to-device event to devices, encrypted or in clear; `*` is every device of the user, in clear only. Encrypted it
    /// goes to devices that are known; those that can't be reached are left out.
    public func send(
        type: String, content: JSONValue, to devices: [DeviceName], encrypted: Bool, now: Int64
    ) throws(CryptoError) {
        try requireOwnKeys()
        try step { () throws(CryptoError) in
            guard encrypted else { return toDevice.send(type, content, to: devices) }
            for name in devices {
                guard let device = tracker.user(name.user)?.devices.first(where: { $0.id == name.device }) else {
                    continue
                }
                letters.send(type, content, to: device)
            }
        }
    }

    /// What is known of somebody's devices; nil when they aren't followed.
    public func user(_ id: String) -> StoredUser? { tracker.user(id) }

    /// Begins to follow the devices of somebody who need not share a room, to verify them. Those of the last few are kept;
    /// people in encrypted rooms are followed by `prepare` and `decrypt` themselves.
    public func follow(_ users: [String]) throws(CryptoError) {
        try step { () throws(CryptoError) in
            for user in users { tracker.followGuest(user) }
        }
    }
}

public struct DeviceName: Hashable, Sendable {
    public let user: String
    public let device: String

    public init(user: String, device: String) {
        self.user = user
        self.device = device
    }
}
