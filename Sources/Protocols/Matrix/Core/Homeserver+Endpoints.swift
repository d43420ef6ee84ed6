public import HTTP
import JSON

/// One function per endpoint used, in the order a session uses them. Paths are those of the client-server API v1.1 and
/// later.
extension Homeserver {
    /// API Versions.
    public func versions() -> HTTPRequest {
        request(.get, "/versions")
    }

    /// Current account information: whose token it is.
    public func whoAmI() -> HTTPRequest {
        request(.get, "/v3/account/whoami")
    }

    /// Login by password. Giving the device id again makes it the same device with a new token.
    public func logIn(user: String, password: String, deviceID: String, deviceName: String) -> HTTPRequest {
        request(
            .post, "/v3/login",
            body: [
                "type": "m.login.password",
                "identifier": ["type": "m.id.user", "user": .string(user)],
                "password": .string(password),
                "device_id": .string(deviceID),
                "initial_device_display_name": .string(deviceName),
                "refresh_token": true,
            ])
    }

    public func displayName(of user: String) -> HTTPRequest {
        request(.get, "/v3/profile/\(percentEncoded(user))/displayname")
    }

    public func setDisplayName(_ name: String, of user: String) -> HTTPRequest {
        request(
            .put, "/v3/profile/\(percentEncoded(user))/displayname", body: ["displayname": .string(name)])
    }

    /// Mapping aliases to room ids.
    public func room(ofAlias alias: String) -> HTTPRequest {
        request(.get, "/v3/directory/room/\(percentEncoded(alias))")
    }

    /// Joining rooms. `via` names servers that are in the room already. A join over federation takes its time.
    public func join(_ roomOrAlias: String, via servers: [String]) -> HTTPRequest {
        // `server_name` is what servers before v1.12 read (MSC4156).
        let query = servers.flatMap { [(name: "via", value: $0), (name: "server_name", value: $0)] }
        return request(
            .post, "/v3/join/\(percentEncoded(roomOrAlias))", query: query, body: [:], timeout: .seconds(120))
    }

    public func leave(_ room: String) -> HTTPRequest {
        request(.post, "/v3/rooms/\(percentEncoded(room))/leave", body: [:])
    }

    /// Only for a room that was left: it goes from the account's list.
    public func forget(_ room: String) -> HTTPRequest {
        request(.post, "/v3/rooms/\(percentEncoded(room))/forget", body: [:])
    }

    /// This user's own place in a room; refused where there never was one.
    public func membership(of user: String, in room: String) -> HTTPRequest {
        request(
            .get, "/v3/rooms/\(percentEncoded(room))/state/m.room.member/\(percentEncoded(user))")
    }

    /// How many are in a room, where the sync's summary doesn't say. A long list is a big room: the body is cut off.
    public func joinedMembers(of room: String) -> HTTPRequest {
        request(
            .get, "/v3/rooms/\(percentEncoded(room))/joined_members", timeout: .seconds(10), maximumBody: 64 << 10)
    }

    /// Who is in a room or invited to it. Meant for chats of two: a longer list is cut off.
    public func people(in room: String) -> HTTPRequest {
        request(
            .get, "/v3/rooms/\(percentEncoded(room))/members", query: [(name: "not_membership", value: "leave")],
            timeout: .seconds(10), maximumBody: 64 << 10)
    }

    /// Getting events for a room, newest first.
    func messages(in room: String, from: String, to end: String, limit: Int, encrypts: Bool = false) -> HTTPRequest {
        let filter: JSONValue = [
            "types": .array(SyncRequest.timelineTypes(encrypts: encrypts)), "lazy_load_members": true,
        ]
        return request(
            .get, "/v3/rooms/\(percentEncoded(room))/messages",
            query: [
                (name: "dir", value: "b"), (name: "from", value: from), (name: "to", value: end),
                (name: "limit", value: String(limit)),
                (name: "filter", value: String(decoding: encoded(filter), as: UTF8.self)),
            ],
            maximumBody: SyncRequest.maximumBody)
    }

    /// Sending events to a room. The same transaction id on the same device is the same event, however often it is
    /// sent ("Transaction identifiers").
    public func send(_ event: OutgoingEvent) -> HTTPRequest {
        let room = percentEncoded(event.room)
        let transaction = percentEncoded(event.transactionID)
        if let redacted = event.redacts {
            return self.request(.put, "/v3/rooms/\(room)/redact/\(percentEncoded(redacted))/\(transaction)", body: [:])
        }
        var request = request(.put, "/v3/rooms/\(room)/send/\(percentEncoded(event.type))/\(transaction)")
        request.headers.append(HTTPHeader("Content-Type", "application/json"))
        request.body = event.content
        return request
    }

    /// Ends the session and removes its device ("Logout").
    public func logOut() -> HTTPRequest {
        request(.post, "/v3/logout", body: [:])
    }
}
