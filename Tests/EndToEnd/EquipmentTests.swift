import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The equipment is tried by itself first: what fails here says nothing about the program.
    @Suite struct EquipmentTests {
        @Test func `two people hear each other on InspIRCd`() async throws {
            let server = try await InspIRCd.shared.get()
            let ada = try await IRCPeer(nick: "eq_ada", port: server.plainPort)
            let bo = try await IRCPeer(nick: "eq_bo", port: server.plainPort)
            try await ada.join("#equipment")
            try await bo.join("#equipment")
            try await ada.hearJoin(of: "eq_bo")
            bo.say("hello: there", to: "#equipment")
            let line = try await ada.answer(of: "eq_bo", from: 0)
            #expect(line.parameters == ["#equipment", "hello: there"])
        }

        @Test func `two people see each other on Synapse`() async throws {
            let server = try await Synapse.shared.get()
            let ada = try await MatrixPeer("eq_ada", on: server)
            let bo = try await MatrixPeer("eq_bo", on: server)
            let room = try await ada.makeRoom(inviting: [bo.id])
            _ = try await bo.call("POST", "/join/\(room)")
            try await ada.waitForMember(bo.id, in: room)
            try await bo.send("hello", to: room)
            let seen = try await ada.waitForMessages(1, of: bo.id, in: room)
            #expect(seen.map(\.body) == ["hello"])
        }

        @Test func `two people hear each other in an encrypted room`() async throws {
            let server = try await Synapse.shared.get()
            let (first, second) = (try TemporaryFolder(), try TemporaryFolder())
            let bo = try await EncryptedPeer("eq_crypt_bo", on: server, store: second)
            let ada = try await EncryptedPeer("eq_crypt_ada", on: server, store: first, names: ["bo": bo.id])
            try await ada.take("create_room", ["encrypted": true, "invite": ["${bo}"]])
            try await bo.take("join")
            try await ada.take("wait_member", ["user": bo.id])
            try await ada.take("send", ["text": "hello"])
            let heard = try await bo.hear(ada.id)
            #expect(heard.isDecrypted && heard.problems.isEmpty)
            #expect(heard.content["body"].text == "hello")
        }

        @Test func `the stand-in for GIPHY serves files as large as it says`() async throws {
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            let query = "q=a%26b&limit=3&rating=g&fields=images.original&api_key=\(FakeGiphy.key)"
            let page = try await Web.call("GET", giphy.url + "/v1/gifs/search?" + query)
            let items = page.json["data"].list
            #expect(items.count == 3)
            for item in items {
                let original = item["images", "original"]
                let file = try await Web.call("GET", original["url"].text ?? "")
                let header = GIFHeader(file.body)
                #expect(header?.width == Int(original["width"].text ?? ""))
                #expect(header?.height == Int(original["height"].text ?? ""))
                #expect(file.body.count == Int(original["size"].text ?? ""))
            }
            #expect(try await giphy.searches == ["a&b"])
        }

        @Test func `faults of the stand-in end by count`() async throws {
            let giphy = try await FakeGiphy.shared.get()
            try await giphy.reset()
            try await giphy.fail("limited", count: 1)
            let address = giphy.url + "/v1/stickers/search?q=owl&api_key=\(FakeGiphy.key)"
            #expect(try await Web.call("GET", address).status == 429)
            #expect(try await Web.call("GET", address).status == 200)
        }

        @Test func `the scripted server records and refuses`() async throws {
            let mock = try await MockIRC()
            let ada = try await IRCPeer(nick: "ada", port: mock.plainPort)
            try await ada.join("#cats")
            try mock.tell("raw :bo!b@h PRIVMSG #cats :hello")
            #expect(try await ada.answer(of: "bo", from: 0).text == "hello")
            #expect(mock.connections == 1)
            try await mock.script.stop()
        }
    }
}
