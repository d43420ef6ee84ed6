import JSON
import MatrixCrypto

/// As much of a homeserver as encryption needs: keys, device lists and to-device events.
final class StandInServer {
    struct Device {
        var keys: JSONObject?
        var oneTime: [(id: String, key: JSONValue)] = []
        var fallback: (id: String, key: JSONValue)?
        var isFallbackUsed = false
        var inbox: [ToDeviceEvent] = []
        /// Whose devices changed since its last sync.
        var changed: Set<String> = []
        var transactions: Set<String> = []
    }

    var devices: [String: [String: Device]] = [:]
    /// Cross-signing keys by user.
    var masters: [String: JSONValue] = [:]
    var selfSigning: [String: JSONValue] = [:]
    /// Servers that don't answer.
    var silent: Set<String> = []
    private(set) var uploads = 0
    /// Looks at what goes to a device; false loses it.
    var lets: ((_ user: String, _ device: String, ToDeviceEvent) -> Bool)?

    func logIn(_ user: String, _ device: String) {
        devices[user, default: [:]][device] = Device()
    }

    func logOut(_ user: String, _ device: String) {
        devices[user]?[device] = nil
        changed(user)
    }

    func changed(_ user: String) {
        for (other, theirs) in devices {
            for device in theirs.keys { devices[other]?[device]?.changed.insert(user) }
        }
    }

    func sync(_ user: String, _ id: String) -> CryptoSync {
        var sync = CryptoSync()
        guard var device = devices[user]?[id] else { return sync }
        sync.toDevice = device.inbox
        sync.changed = device.changed.sorted()
        if !device.oneTime.isEmpty { sync.oneTimeKeyCounts = ["signed_curve25519": device.oneTime.count] }
        sync.unusedFallbackTypes = device.fallback == nil || device.isFallbackUsed ? [] : ["signed_curve25519"]
        device.inbox = []
        device.changed = []
        devices[user]?[id] = device
        return sync
    }

    func answer(_ call: CryptoRequest.Call, from user: String, _ device: String) throws(Refusal) -> JSONValue {
        switch call {
        case .uploadKeys(let body): return try upload(body, user, device)
        case .queryKeys(let users): return query(users)
        case .claimKeys(let wanted): return claim(wanted)
        case .toDevice(let type, let transaction, let messages):
            guard devices[user]?[device]?.transactions.insert(transaction).inserted == true else { return [:] }
            deliver(type, from: user, messages)
            return [:]
        case .keyChanges, .uploadCrossSigning, .uploadSignatures, .accountData, .setAccountData: return [:]
        }
    }

    struct Refusal: Error { let failure: CryptoFailure }

    private func upload(_ body: JSONValue, _ user: String, _ id: String) throws(Refusal) -> JSONValue {
        guard var device = devices[user]?[id] else { return [:] }
        uploads += 1
        for member in body["one_time_keys"]?.object?.members ?? [] {
            if let there = device.oneTime.first(where: { $0.id == member.key }) {
                guard there.key == member.value else {
                    throw Refusal(
                        failure: .refused(
                            errcode: "M_UNKNOWN", text: "One time key \(member.key) already exists."))
                }
            } else {
                device.oneTime.append((member.key, member.value))
            }
        }
        for member in body["fallback_keys"]?.object?.members ?? [] {
            device.fallback = (member.key, member.value)
            device.isFallbackUsed = false
        }
        let isNew = body["device_keys"]?.object
        if let isNew { device.keys = isNew }
        devices[user]?[id] = device
        if isNew != nil { changed(user) }
        return ["one_time_key_counts": ["signed_curve25519": .integer(Int64(device.oneTime.count))]]
    }

    private func query(_ users: [String]) -> JSONValue {
        var keys = JSONObject()
        var (master, own) = (JSONObject(), JSONObject())
        var failures = JSONObject()
        for user in users {
            if silent.contains(serverName(user)) {
                failures[serverName(user)] = [:]
                continue
            }
            let ofUser = (devices[user] ?? [:]).compactMap { id, device in
                device.keys.map { JSONObject.Member(id, .object($0)) }
            }
            keys[user] = .object(JSONObject(ofUser))
            master[user] = masters[user]
            own[user] = selfSigning[user]
        }
        return [
            "device_keys": .object(keys), "master_keys": .object(master), "self_signing_keys": .object(own),
            "failures": .object(failures),
        ]
    }

    private func claim(_ wanted: [String: [String]]) -> JSONValue {
        var keys = JSONObject()
        var failures = JSONObject()
        for (user, ids) in wanted {
            if silent.contains(serverName(user)) {
                failures[serverName(user)] = [:]
                continue
            }
            var ofUser = JSONObject()
            for id in ids {
                guard var device = devices[user]?[id] else { continue }
                if !device.oneTime.isEmpty {
                    let key = device.oneTime.removeFirst()
                    ofUser[id] = .object(JSONObject([.init(key.id, key.key)]))
                } else if let fallback = device.fallback {
                    device.isFallbackUsed = true
                    ofUser[id] = .object(JSONObject([.init(fallback.id, fallback.key)]))
                }
                devices[user]?[id] = device
            }
            keys[user] = .object(ofUser)
        }
        return ["one_time_keys": .object(keys), "failures": .object(failures)]
    }

    func deliver(_ type: String, from sender: String, _ messages: JSONValue) {
        for ofUser in messages.object?.members ?? [] {
            for member in ofUser.value.object?.members ?? [] {
                let ids = member.key == "*" ? Array((devices[ofUser.key] ?? [:]).keys) : [member.key]
                let event = ToDeviceEvent(type: type, sender: sender, content: member.value)
                for id in ids where lets?(ofUser.key, id, event) ?? true {
                    devices[ofUser.key]?[id]?.inbox.append(event)
                }
            }
        }
    }

    private func serverName(_ user: String) -> String {
        String(user.split(separator: ":", maxSplits: 1).last ?? "")
    }
}
