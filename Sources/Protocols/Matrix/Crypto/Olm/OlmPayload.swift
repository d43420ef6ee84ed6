import JSON

/// What an Olm message holds, after the checks of "Validation of incoming decrypted events".
struct OlmPayload {
    let type: String
    let content: JSONValue
    let sender: String
    /// Of the sending device.
    let identityKey: String
    let signingKey: String
    /// As the message itself tells it, with its signature checked, or as it is known.
    let device: Device?
}

/// Why a to-device event is dropped; for the log.
struct Discarded: Error, Equatable {
    let reason: String
}

extension OlmPayload {
    static func read(
        _ plaintext: [UInt8], from sender: String, identityKey: String, own: OwnAccount, userID: String,
        tracker: DeviceTracker
    ) throws(Discarded) -> OlmPayload {
        guard let value = try? JSONValue(parsing: plaintext), let type = value["type"]?.string,
            let content = value["content"], content.object != nil
        else { throw Discarded(reason: "the plaintext is no event") }
        guard value["sender"]?.string == sender else { throw Discarded(reason: "made by another sender") }
        guard value["recipient"]?.string == userID else { throw Discarded(reason: "made for another user") }
        guard value["recipient_keys"]?["ed25519"]?.string == own.identityKeys.ed25519 else {
            throw Discarded(reason: "made for another device")
        }
        guard let signingKey = value["keys"]?["ed25519"]?.string else {
            throw Discarded(reason: "without the sender's key")
        }
        let device = try device(
            of: sender, identityKey: identityKey, signingKey: signingKey, told: value["sender_device_keys"],
            tracker: tracker)
        return OlmPayload(
            type: type, content: content, sender: sender, identityKey: identityKey, signingKey: signingKey,
            device: device)
    }

    /// A device that is neither known nor told is no reason to drop the event: whose it is, is looked at again before
    /// anything is believed because of it.
    private static func device(
        of sender: String, identityKey: String, signingKey: String, told: JSONValue?, tracker: DeviceTracker
    ) throws(Discarded) -> Device? {
        let known = tracker.user(sender)?.devices.first { $0.curve25519 == identityKey }
        if let known, known.ed25519 != signingKey { throw Discarded(reason: "the sender's keys don't belong together") }
        guard let told else { return known }
        guard let device = tracker.checked(told, of: sender) else {
            throw Discarded(reason: "sender_device_keys aren't the sender's, or not signed")
        }
        guard device.curve25519 == identityKey, device.ed25519 == signingKey else {
            throw Discarded(reason: "sender_device_keys are another device's")
        }
        return known ?? device
    }

    /// The plaintext of an event for one device.
    static func plaintext(
        type: String, content: JSONValue, to device: Device, from own: OwnAccount, userID: String, withDeviceKeys: Bool
    ) throws(CryptoError) -> [UInt8] {
        var object: JSONObject = [
            "type": .string(type),
            "content": content,
            "sender": .string(userID),
            "recipient": .string(device.user),
            "recipient_keys": ["ed25519": .string(device.ed25519)],
            "keys": ["ed25519": .string(own.identityKeys.ed25519)],
        ]
        if withDeviceKeys { object["sender_device_keys"] = .object(try own.deviceKeys()) }
        do {
            return try JSONWriter.canonical(.object(object))
        } catch {
            throw .unusableContent
        }
    }
}
