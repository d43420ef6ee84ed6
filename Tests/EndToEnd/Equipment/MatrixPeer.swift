import Foundation

/// A person on Matrix.
final class MatrixPeer: Sendable {
    let id: String
    private let base: String
    private let token: String

    struct Event: Sendable {
        let id: String
        let sender: String
        let type: String
        let content: JSON
        /// Milliseconds since 1970.
        let time: Int

        init(_ json: JSON) {
            time = json["origin_server_ts"].number ?? 0
            id = json["event_id"].text ?? ""
            sender = json["sender"].text ?? ""
            type = json["type"].text ?? ""
            content = json["content"]
        }

        var body: String { content["body"].text ?? "" }
        var kind: String { content["msgtype"].text ?? "" }
    }

    init(_ local: String, on server: Synapse, isAdmin: Bool = false) async throws {
        id = try await server.user(local, isAdmin: isAdmin)
        base = server.url + "/_matrix/client/v3"
        let answer = try await Web.call(
            "POST", base + "/login",
            json: [
                "type": "m.login.password", "identifier": ["type": "m.id.user", "user": local], "password": local,
                "initial_device_display_name": "peer",
            ])
        guard let token = answer.json["access_token"].text else { throw Trouble("no login for \(local)") }
        self.token = token
    }

    func call(_ method: String, _ path: String, _ json: [String: Any]? = nil) async throws -> JSON {
        // A tight server limits people too; they wait and try again.
        try await eventually("\(method) \(path)", within: .seconds(60)) {
            let answer = try await Web.call(method, base + path, json: json, token: token)
            if answer.status == 429 { return nil }
            guard answer.status == 200 else {
                throw Trouble("\(method) \(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
            }
            return answer.json
        }
    }

    /// What lies at a path that isn't one of the client API's version 3.
    func at(_ path: String) async throws -> JSON {
        try await Web.call("GET", base.replacing("/_matrix/client/v3", with: path), token: token).json
    }

    /// A call of Synapse's own for its administrators.
    func administer(_ method: String, _ path: String, _ json: [String: Any]) async throws {
        let url = base.replacing("/_matrix/client/v3", with: "/_synapse/admin") + path
        let answer = try await Web.call(method, url, json: json, token: token)
        guard answer.status == 200 else {
            throw Trouble("\(method) \(path): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    func join(_ room: String) async throws { _ = try await call("POST", "/join/\(escaped(room))", [:]) }

    func invite(_ other: String, to room: String) async throws {
        _ = try await call("POST", "/rooms/\(escaped(room))/invite", ["user_id": other])
    }

    func makeRoom(inviting others: [String], direct: Bool = false) async throws -> String {
        let room = try await call("POST", "/createRoom", ["invite": others, "is_direct": direct])
        guard let id = room["room_id"].text else { throw Trouble("no room") }
        return id
    }

    @discardableResult
    func send(_ body: String, to room: String, kind: String = "m.text", extra: [String: Any] = [:]) async throws
        -> String
    {
        let content = ["msgtype": kind, "body": body].merging(extra) { $1 }
        let path = "/rooms/\(escaped(room))/send/m.room.message/\(UUID().uuidString)"
        return try await call("PUT", path, content)["event_id"].text ?? ""
    }

    /// The messages of a room, oldest first (the last hundred).
    func messages(in room: String, of sender: String? = nil) async throws -> [Event] {
        try await call("GET", "/rooms/\(escaped(room))/messages?dir=b&limit=100")["chunk"].list.reversed()
            .map(Event.init)
            .filter { $0.type == "m.room.message" && (sender == nil || $0.sender == sender) }
    }

    /// All messages of a room, newest first.
    func allMessages(in room: String, of sender: String) async throws -> [Event] {
        var found: [Event] = []
        var from = ""
        while true {
            let page = try await call("GET", "/rooms/\(escaped(room))/messages?dir=b&limit=500\(from)")
            found += page["chunk"].list.map(Event.init).filter { $0.type == "m.room.message" && $0.sender == sender }
            guard let end = page["end"].text, !page["chunk"].list.isEmpty else { return found }
            from = "&from=\(escaped(end))"
        }
    }

    /// Puts a mark on an event.
    func react(_ mark: String, to event: String, in room: String) async throws {
        let relation = ["rel_type": "m.annotation", "event_id": event, "key": mark]
        let path = "/rooms/\(escaped(room))/send/m.reaction/\(UUID().uuidString)"
        _ = try await call("PUT", path, ["m.relates_to": relation])
    }

    func redact(_ event: String, in room: String) async throws {
        _ = try await call("PUT", "/rooms/\(escaped(room))/redact/\(escaped(event))/\(UUID().uuidString)", [:])
    }

    func edit(_ event: String, to body: String, in room: String) async throws {
        try await send(
            "* " + body, to: room,
            extra: [
                "m.new_content": ["msgtype": "m.text", "body": body],
                "m.relates_to": ["rel_type": "m.replace", "event_id": event],
            ])
    }

    /// An event as it stands now: of one that was taken back nothing is left but its id.
    func event(_ id: String, in room: String) async throws -> JSON {
        try await call("GET", "/rooms/\(escaped(room))/event/\(escaped(id))")
    }

    /// What goes by in the rooms of this person without staying there, and where to go on from; nil gives where it is now.
    func passing(since: String?) async throws -> (next: String, events: [(room: String, event: JSON)]) {
        let query = since.map { "?timeout=1000&since=\(escaped($0))" } ?? ""
        let batch = try await call("GET", "/sync\(query)")
        let events = batch["rooms", "join"].members.flatMap { room, joined in
            joined["ephemeral", "events"].list.map { (room: room, event: $0) }
        }
        return (batch["next_batch"].text ?? "", events)
    }

    func profile(of user: String) async throws -> JSON { try await call("GET", "/profile/\(escaped(user))") }

    /// The bytes behind an `mxc:` address.
    func download(_ uri: String) async throws -> Data {
        let url = base.replacing("/client/v3", with: "/client/v1/media/download/") + uri.dropFirst("mxc://".count)
        let answer = try await Web.call("GET", url, token: token)
        guard answer.status == 200 else { throw Trouble("\(uri): \(answer.status)") }
        return answer.body
    }

    func members(of room: String) async throws -> [String] {
        try await call("GET", "/rooms/\(escaped(room))/joined_members")["joined"].members.keys.sorted()
    }

    func waitForMember(_ other: String, in room: String) async throws {
        try await eventually("\(other) to join the room", within: .seconds(30)) {
            try await members(of: room).contains(other)
        }
    }

    func waitForMessages(_ count: Int, of sender: String, in room: String, within limit: Duration = .seconds(20))
        async throws -> [Event]
    {
        var seen: [Event] = []
        do {
            return try await eventually("\(count) message(s) of \(sender)", within: limit) {
                seen = try await messages(in: room, of: sender)
                return seen.count >= count ? seen : nil
            }
        } catch {
            throw Trouble("\(error); there are: \(seen.map(\.body))")
        }
    }

    /// The devices of this account, the one of this peer not counted.
    func otherDevices() async throws -> [JSON] {
        try await call("GET", "/devices")["devices"].list.filter { $0["display_name"].text != "peer" }
    }

    func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }
}
