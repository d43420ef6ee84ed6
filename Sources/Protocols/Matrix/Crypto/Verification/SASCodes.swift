import JSON

/// The message authentication codes that prove keys ("MAC calculation", `hkdf-hmac-sha256.v2`).
struct SASCodes {
    let own: DeviceName
    let their: DeviceName
    let transaction: String
    let sas: any ShortAuthentication

    /// The content of our `m.key.verification.mac`: keys by id (`ed25519:DEVICE`).
    func content(of keys: [String: String]) throws(OlmError) -> JSONObject {
        var codes = JSONObject()
        for (id, key) in keys { codes[id] = .string(try code(of: key, id, from: own, to: their)) }
        let list = keys.keys.sorted(by: Self.isBefore).joined(separator: ",")
        return ["mac": .object(codes), "keys": .string(try code(of: list, "KEY_IDS", from: own, to: their))]
    }

    /// Which of the keys that we know of theirs their codes prove. Ids that aren't known are passed over; one known key that is
    /// another for them ends it.
    func proven(by content: JSONValue, known: [String: String]) throws(OlmError) -> Set<String>? {
        guard let codes = content["mac"]?.object, let listCode = content["keys"]?.string,
            (1...100).contains(codes.members.count)
        else { return nil }
        let ids = codes.members.map(\.key)
        guard Set(ids).count == ids.count else { return nil }
        let list = ids.sorted(by: Self.isBefore).joined(separator: ",")
        guard try isSame(listCode, code(of: list, "KEY_IDS", from: their, to: own)) else { return nil }
        var proven: Set<String> = []
        for member in codes.members {
            guard let key = known[member.key] else { continue }
            guard let theirs = member.value.string, try isSame(theirs, code(of: key, member.key, from: their, to: own))
            else { return nil }
            proven.insert(member.key)
        }
        return proven
    }

    private func code(
        of message: String, _ id: String, from: DeviceName, to: DeviceName
    ) throws(OlmError) -> String {
        let info = "MATRIX_KEY_VERIFICATION_MAC" + from.user + from.device + to.user + to.device + transaction + id
        return try sas.authenticationCode(of: message, info: info)
    }

    /// Without telling by its time where they differ.
    private func isSame(_ theirs: String, _ ours: String) -> Bool {
        guard let a = Base64.decode(theirs), let b = Base64.decode(ours), a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | $1.0 ^ $1.1 } == 0
    }

    private static func isBefore(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
