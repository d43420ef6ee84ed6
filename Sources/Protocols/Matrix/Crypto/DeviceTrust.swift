/// Whose devices get keys, and whose messages are believed.
public enum DeviceTrust: Equatable, Sendable {
    /// Devices that their owner has cross-signed (MSC4153).
    case crossSigned
    /// Those, and the devices of people who have no cross-signing at all. Who was seen with it once is held to it, so that a
    /// server can't take it away to slip in a device.
    case crossSignedOrWithout

    func allows(_ device: Device, of user: StoredUser) -> Bool {
        switch self {
        case .crossSigned: device.isCrossSigned
        case .crossSignedOrWithout: device.isCrossSigned || user.identity == nil
        }
    }
}
