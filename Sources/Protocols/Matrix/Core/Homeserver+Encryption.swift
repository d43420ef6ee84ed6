public import HTTP
import JSON
public import MatrixCrypto

/// The calls of the encryption modules.
extension Homeserver {
    /// Keys of people on other servers are fetched while we wait: the server answers after this at the latest.
    private static let remoteTimeout: Int64 = 10_000
    private static let keyTimeout: Duration = .seconds(60)

    public func call(_ call: CryptoRequest.Call, of user: String) -> HTTPRequest {
        let account = "/v3/user/\(percentEncoded(user))/account_data/"
        return switch call {
        case .uploadKeys(let body): keys(.post, "/v3/keys/upload", body)
        case .queryKeys(let users):
            keys(
                .post, "/v3/keys/query",
                ["device_keys": .map(users.map { ($0, .array([])) }), "timeout": .integer(Self.remoteTimeout)])
        case .keyChanges(let from, let to):
            request(
                .get, "/v3/keys/changes", query: [(name: "from", value: from), (name: "to", value: to)],
                timeout: Self.keyTimeout, maximumBody: SyncRequest.maximumBody)
        case .claimKeys(let wanted):
            keys(
                .post, "/v3/keys/claim",
                [
                    "one_time_keys": .map(
                        wanted.sorted { $0.key < $1.key }.map { user, devices in
                            (user, .map(devices.map { ($0, "signed_curve25519") }))
                        }),
                    "timeout": .integer(Self.remoteTimeout),
                ])
        case .toDevice(let type, let transaction, let messages):
            keys(
                .put, "/v3/sendToDevice/\(percentEncoded(type))/\(percentEncoded(transaction))",
                ["messages": messages])
        case .uploadCrossSigning(let body): keys(.post, "/v3/keys/device_signing/upload", body)
        case .uploadSignatures(let signatures): keys(.post, "/v3/keys/signatures/upload", signatures)
        case .accountData(let type): request(.get, account + percentEncoded(type))
        case .setAccountData(let type, let content): request(.put, account + percentEncoded(type), body: content)
        }
    }

    /// All members of a room and who is invited, for an encrypted room that is to be written to.
    public func members(of room: String) -> HTTPRequest {
        request(
            .get, "/v3/rooms/\(percentEncoded(room))/members", query: [(name: "not_membership", value: "leave")],
            timeout: Self.keyTimeout, maximumBody: SyncRequest.maximumBody)
    }

    private func keys(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue) -> HTTPRequest {
        request(method, path, body: body, timeout: Self.keyTimeout, maximumBody: SyncRequest.maximumBody)
    }
}

extension JSONValue {
    fileprivate static func map(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }
}
