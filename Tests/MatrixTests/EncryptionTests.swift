import HTTP
import JSON
import MatrixCrypto
import Testing

@testable import Matrix

private let switchedOn = event(
    "m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2", "rotation_period_msgs": 2], id: "$on", key: "")

private func member(_ user: String, _ membership: String) -> JSONValue {
    event("m.room.member", ["membership": .string(membership)], id: "$m" + user + membership, from: user, key: user)
}

private func envelope(_ id: String, from sender: String = ada, more: JSONObject = [:]) -> JSONValue {
    var content: JSONObject = [
        "algorithm": "m.megolm.v1.aes-sha2", "ciphertext": "AwgA", "session_id": "s", "sender_key": "k",
        "device_id": "D",
    ]
    for member in more.members { content[member.key] = member.value }
    return event("m.room.encrypted", .object(content), id: id, from: sender)
}

/// Past its first sync, which shows an encrypted room.
private func encrypting(_ state: [JSONValue] = [created, switchedOn]) -> SyncSession {
    var session = SyncSession(userID: bot, position: "s0", encrypts: true)
    _ = session.received(sync(state: state, next: "s1"))
    return session
}

private func content(_ body: String, relation: JSONValue? = nil) -> EventContent {
    var content: JSONObject = ["msgtype": "m.text", "body": .string(body), "odd": .number(0.5), "far": .integer(.max)]
    if let relation {
        content["m.relates_to"] = relation
        content["m.new_content"] = ["msgtype": "m.text", "body": .string(body)]
    }
    return EventContent(.object(content)) ?? EventContent()
}

@Suite("Encrypted rooms") struct EncryptionTests {
    @Test("What a sync brings for the encryption, with bad items among it")
    func reading() {
        let body = #"""
            {"next_batch": "s2", "device_lists": {"changed": ["@a:x", 7], "left": ["@b:x"]},
             "device_one_time_keys_count": {"signed_curve25519": 49, "odd": "many", "huge": 9e99},
             "device_unused_fallback_key_types": [],
             "to_device": {"events": [{"type": "m.room_key", "sender": "@a:x", "content": {"n": 1}}, 5,
               {"type": "x", "sender": "@a:x"}, {"type": "x", "sender": "@a:x", "content": "none"},
               {"type": "y", "sender": "@a:x", "content": {"n": 1e999}},
               {"content": {}, "sender": "@c:x", "type": "m.dummy"}]}}
            """#
        guard case .success(let batch) = SyncBatch.decode(json(body)) else {
            Issue.record("not read")
            return
        }
        #expect(batch.crypto.changed == ["@a:x"] && batch.crypto.left == ["@b:x"])
        #expect(batch.crypto.oneTimeKeyCounts == ["signed_curve25519": 49])
        #expect(batch.crypto.unusedFallbackTypes == [] && batch.crypto.nextBatch == "s2")
        #expect(batch.crypto.toDevice.map(\.type) == ["m.room_key", "m.dummy"])
        guard case .success(let old) = SyncBatch.decode(json(#"{"next_batch": "s3"}"#)) else { return }
        #expect(old.crypto.unusedFallbackTypes == nil)
    }

    @Test("Encrypted events are asked for only by those who can read them")
    func filter() {
        for encrypts in [false, true] {
            let session = SyncSession(userID: bot, position: "s0", encrypts: encrypts)
            let url = session.request.httpRequest(to: Homeserver(baseURL: "https://x")).url
            #expect(url.contains("m.room.encrypted") == encrypts)
            #expect(url.contains("m.room.history_visibility") == encrypts)
            #expect(url.contains("m.room.encryption"))
        }
    }

    @Test("A decrypted message is heard, one in clear is not; in a plain room it is the other way round")
    func asTheRoomIs() throws {
        var session = encrypting()
        var batch = sync([envelope("$1"), text("!gif clear", id: "$2"), envelope("$own", from: bot)])
        let sealed = session.sealedEvents(in: batch, longestAge: .seconds(60))
        #expect(sealed.map(\.id) == ["$1"])
        let opened = try #require(sealed[0].event.opened(type: "m.room.message", content: content("!gif secret")))
        batch.replace(sealed[0], with: opened)
        #expect(session.received(batch).bodies == ["!gif secret"])

        var plain = SyncSession(userID: bot, position: "s0", encrypts: true)
        _ = plain.received(sync(next: "s1"))
        var other = sync([envelope("$3"), text("!gif clear", id: "$4")])
        let envelopes = plain.sealedEvents(in: other, longestAge: .seconds(60))
        other.replace(
            envelopes[0], with: try #require(envelopes[0].event.opened(type: "m.room.message", content: content("x"))))
        #expect(plain.received(other).bodies == ["!gif clear"])
    }

    @Test("Inside an envelope only words and marks mean something")
    func types() throws {
        let sealed = try #require(encrypting().sealedEvents(in: sync([envelope("$1")]), longestAge: .seconds(60)).first)
        for type in ["m.room.redaction", "m.room.member", "m.room.encryption", "m.room.encrypted", ""] {
            #expect(sealed.event.opened(type: type, content: EventContent()) == nil)
        }
        #expect(EventContent(["a": 1]) != nil && EventContent("no object") == nil)
    }

    @Test("An edit's relation, put back into the content, makes it an edit; threads and replies too")
    func relations() throws {
        var session = encrypting()
        var batch = sync([envelope("$1")])
        let sealed = session.sealedEvents(in: batch, longestAge: .seconds(60))[0]
        let edit = content("!gif owl", relation: ["rel_type": "m.replace", "event_id": "$0"])
        batch.replace(sealed, with: try #require(sealed.event.opened(type: "m.room.message", content: edit)))
        guard case .edited(let message) = session.received(batch).last else {
            Issue.record("no edit")
            return
        }
        #expect(message.id == "$0" && message.body == "!gif owl")
    }

    @Test("What is known of encryption is never taken back, over restarts neither")
    func forGood() {
        var session = encrypting()
        #expect(session.rooms[room1]?.encryption?.rotationMessages == 2)
        let off = event("m.room.encryption", [:], id: "$off", key: "")
        #expect(session.received(sync([off])).isEmpty)
        #expect(session.rooms[room1]?.isEncrypted == true && session.rooms[room1]?.encryption?.rotationMessages == 2)
        // The state event went missing, and nothing is said in clear.
        var again = SyncSession(userID: bot, position: "s1", encrypts: true, encryptedRooms: [room1])
        #expect(again.received(sync([text("!gif a", id: "$1")])).bodies.isEmpty)
        #expect(again.rooms[room1]?.isPlain == false && again.rooms[room1]?.encryption == nil)
    }

    @Test("The list of members is asked for once, and kept by the timeline")
    func members() {
        var session = encrypting()
        #expect(session.audience(of: room1) == nil)
        session.asksForMembers(of: room1)
        // Between question and answer.
        _ = session.received(sync([member("@late:x", "join"), member("@gone:x", "leave")]))
        session.learned(RoomPeople(joined: [ada, bot, "@gone:x"], invited: ["@guest:x"]), of: room1)
        #expect(session.audience(of: room1)?.joined == [ada, bot, "@late:x"].sorted())
        #expect(session.audience(of: room1)?.invited == ["@guest:x"])
        let visibility = event("m.room.history_visibility", ["history_visibility": "joined"], id: "$v", key: "")
        #expect(session.received(sync([visibility])) == [.readersChanged(room: room1)])
        #expect(session.audience(of: room1)?.invited == [])
        let left = session.received(sync([member("@late:x", "ban"), member("@new:x", "join")]))
        #expect(left.contains(.readersChanged(room: room1)))
        #expect(session.audience(of: room1)?.joined == [ada, bot, "@new:x"].sorted())
        // After a gap nobody knows.
        var gap = sync([text("x", id: "$9")])
        gap.joined[0].isLimited = true
        #expect(session.received(gap).contains(.readersChanged(room: room1)))
        #expect(session.audience(of: room1) == nil)
    }

    @Test("A message whose key came late is told once, and not for a room that was left")
    func late() throws {
        var session = encrypting()
        let batch = sync([envelope("$1")])
        let sealed = session.sealedEvents(in: batch, longestAge: .seconds(60))[0]
        #expect(session.received(batch).isEmpty)
        let opened = try #require(sealed.event.opened(type: "m.room.message", content: content("!gif late")))
        #expect(session.receivedLate(opened, in: room1).bodies == ["!gif late"])
        #expect(session.receivedLate(opened, in: room1).isEmpty)
        #expect(session.receivedLate(opened, in: "!r7").isEmpty)
    }

    @Test("A 401 with flows asks who we are; without, it refuses the token")
    func authentication() {
        let flows = #"{"flows": [{"stages": ["m.login.password"]}], "session": "x", "errcode": "M_FORBIDDEN"}"#
        guard case .success(.needsAuthentication("x", let stages)) = CryptoAnswer.decode(json(flows, status: 401))
        else {
            Issue.record("no flows")
            return
        }
        #expect(CryptoAnswer.takesPassword(stages))
        let refused = CryptoAnswer.decode(json(#"{"errcode": "M_UNKNOWN_TOKEN"}"#, status: 401))
        guard case .failure(let error) = refused else {
            Issue.record("no failure")
            return
        }
        #expect(error.isTokenRefused && error.cryptoFailure == .transient)
        let missing = CryptoAnswer.decode(json(#"{"errcode": "M_NOT_FOUND", "error": "none"}"#, status: 404))
        guard case .failure(let notFound) = missing else { return }
        #expect(notFound.cryptoFailure == .refused(errcode: "M_NOT_FOUND", text: "none"))
        #expect(CryptoAnswer.decode(json("<html>", status: 502)).failure?.cryptoFailure == .transient)
    }

    @Test("The machine's calls go where the specification has them")
    func endpoints() {
        let server = Homeserver(baseURL: "https://x", accessToken: "t")
        let device = server.call(.toDevice(type: "m.room_key", transaction: "a/b", messages: [:]), of: bot)
        #expect(device.url == "https://x/_matrix/client/v3/sendToDevice/m.room_key/a%2Fb" && device.method == .put)
        let claim = server.call(.claimKeys(["@a:x": ["D"]]), of: bot)
        #expect(
            claim.body.flatMap { try? JSONValue(parsing: $0) }?["one_time_keys"]
                == ["@a:x": ["D": "signed_curve25519"]])
        let query = server.call(.queryKeys(users: ["@a:x"]), of: bot)
        #expect(query.body.flatMap { try? JSONValue(parsing: $0) }?["device_keys"] == ["@a:x": []])
        let data = server.call(.accountData(type: "m.secret_storage.default_key"), of: bot)
        #expect(data.url.hasSuffix("/account_data/m.secret_storage.default_key") && data.method == .get)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
