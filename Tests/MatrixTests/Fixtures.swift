import HTTP
import JSON
import Matrix

let bot = "@gifbot:example.test"
let ada = "@ada:example.test"
let room1 = "!r1:example.test"

func json(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
}

/// An answer to `/sync` in the specification's shape, with a bit of everything that is read and much that isn't.
let wholeSync = #"""
    {
      "next_batch": "s72595_4483_1934",
      "device_one_time_keys_count": {"signed_curve25519": 0},
      "account_data": {"events": [
        {"type": "m.push_rules", "content": {"global": {}}},
        {"type": "m.ignored_user_list", "content": {"ignored_users": {"@troll:example.test": {}}}}
      ]},
      "presence": {"events": []},
      "rooms": {
        "join": {
          "!r1:example.test": {
            "summary": {"m.joined_member_count": 3, "m.invited_member_count": 1, "m.heroes": ["@ada:example.test"]},
            "state": {"events": [
              {"type": "m.room.create", "state_key": "", "sender": "@ada:example.test", "event_id": "$c",
               "origin_server_ts": 1, "content": {"room_version": "10", "creator": "@ada:example.test"}},
              {"type": "m.room.power_levels", "state_key": "", "sender": "@ada:example.test", "event_id": "$p",
               "origin_server_ts": 2, "content": {"users": {"@ada:example.test": 100, "@op:example.test": "50"},
               "users_default": 0, "events": {"m.room.name": 50, "m.room.message": 0}, "events_default": 0, "ban": 50}}
            ]},
            "timeline": {"limited": false, "prev_batch": "t1", "events": [
              {"type": "m.room.message", "sender": "@bo:example.test", "event_id": "$m1",
               "origin_server_ts": 1800000000000, "unsigned": {"age": 1234, "membership": "join"},
               "content": {"msgtype": "m.text", "body": "!gif \ud83d\ude00 caf\u00e9", "m.mentions": {"user_ids": ["@gifbot:example.test"]},
                 "format": "org.matrix.custom.html", "formatted_body": "<b>!gif</b>",
                 "m.relates_to": {"rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
                                  "m.in_reply_to": {"event_id": "$before"}}, "odd": [1.5e400, null, {"x": -0}]}},
              {"type": "m.room.redaction", "sender": "@bo:example.test", "event_id": "$x", "redacts": "$m0",
               "origin_server_ts": 3, "content": {"reason": "slip", "redacts": "$m0"}},
              "no event", {"type": 7}
            ]},
            "ephemeral": {"events": []}, "unread_notifications": {"highlight_count": 0}
          }
        },
        "invite": {
          "!i1": {"invite_state": {"events": [
            {"type": "m.room.create", "state_key": "", "sender": "@ada:example.test", "content": {"type": "m.space"}},
            {"type": "m.room.member", "state_key": "@gifbot:example.test", "sender": "@ada:example.test",
             "content": {"membership": "invite", "is_direct": true}}
          ]}}
        },
        "leave": {"!l1:example.test": {"timeline": {"events": []}, "state": {"events": []}}},
        "knock": {}
      },
      "to_device": {"events": []}
    }
    """#

/// Events of one room, short to write.
func event(
    _ type: String, _ content: JSONValue, id: String = "$e", from sender: String = ada, key: String? = nil,
    previous: JSONValue? = nil, redacts: String? = nil
) -> JSONValue {
    var object: JSONObject = [
        "type": .string(type), "content": content, "event_id": .string(id), "sender": .string(sender),
        "origin_server_ts": 1_800_000_000_000,
    ]
    var unsigned: JSONObject = ["age": 100]
    if let key { object["state_key"] = .string(key) }
    if let previous { unsigned["prev_content"] = previous }
    if let redacts { object["redacts"] = .string(redacts) }
    object["unsigned"] = .object(unsigned)
    return .object(object)
}

func text(_ body: String, id: String = "$e", from sender: String = ada, more: JSONObject = [:]) -> JSONValue {
    var content: JSONObject = ["msgtype": "m.text", "body": .string(body)]
    for member in more.members { content[member.key] = member.value }
    return event("m.room.message", .object(content), id: id, from: sender)
}

let created = event("m.room.create", ["room_version": "10"], id: "$create", key: "")

func sync(
    _ timeline: [JSONValue] = [], state: [JSONValue] = [created], room: String = room1, people: Int64? = 5,
    next: String = "s2"
) -> SyncBatch {
    var joined: JSONObject = ["state": ["events": .array(state)], "timeline": ["events": .array(timeline)]]
    if let people { joined["summary"] = ["m.joined_member_count": .integer(people)] }
    return batch(["join": .object([JSONObject.Member(room, .object(joined))].asObject)], next: next)
}

func batch(_ rooms: JSONValue, next: String = "s2") -> SyncBatch {
    let body: JSONValue = ["next_batch": .string(next), "rooms": rooms]
    let response = HTTPResponse(status: 200, body: (try? JSONWriter.canonical(body)) ?? [])
    guard case .success(let batch) = SyncBatch.decode(response) else { preconditionFailure("a fixture is wrong") }
    return batch
}

extension [JSONObject.Member] {
    var asObject: JSONObject { JSONObject(self) }
}

extension [SyncEffect] {
    /// The bodies of messages handed over.
    var bodies: [String] {
        compactMap { if case .message(let message) = $0 { message.body } else { nil } }
    }
    var redacted: [String] {
        compactMap { if case .redacted(let redaction) = $0 { redaction.event } else { nil } }
    }
    var messages: [RoomMessage] {
        compactMap { if case .message(let message) = $0 { message } else { nil } }
    }
}
