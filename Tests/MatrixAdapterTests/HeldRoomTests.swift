import Base
import Chat
import HTTP
import JSON
import Matrix
import TestSupport
import Testing

@testable import MatrixAdapter

private let encryptionOn = event("m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2"], id: "$on", key: "")
private let manyRooms = (0..<Outbox.inFlight + 4).map { "!held\($0):example.test" }

private func media(_ number: Int) -> ReplyMedia {
    ReplyMedia(
        id: "giphy:\(number)",
        files: [
            .init(url: "https://media.test/\(number)", mediaType: nil, width: nil, height: nil, byteCount: nil)
        ],
        title: "", altText: nil, maximumBytes: 1000)
}

extension Bench {
    /// A command in a room, and its answer.
    fileprivate func command(in room: String, _ id: String, _ media: ReplyMedia? = nil) -> SendOutcome {
        let message = ChatMessage(
            id: id, conversation: Conversation(network: "home", name: room, isDirect: false),
            sender: Sender(identity: .userID(ada), name: ada, isAdmin: false, isOperator: false), text: "!gif owl",
            isAddressed: true, age: .zero, address: RoomAddress(room: room, thread: nil).text)
        return adapter.send(
            Reply(
                kind: .answer, audience: .conversation, text: "Owl", url: nil, id: AnswerID(id), media: media),
            to: message)
    }

    fileprivate func enter(_ rooms: [String], _ state: [JSONValue] = [created]) async {
        let joined = rooms.map { room in
            JSONObject.Member(room, ["state": ["events": .array(state)], "summary": ["m.joined_member_count": 5]])
        }
        await sync(rooms: ["join": .object(JSONObject(joined))])
    }
}

@Suite("Rooms that wait hold no others up") @Loop struct HeldRoomTests {
    @Test("More rooms than may send at once wait for their files: another one is answered at once")
    func uploads() async {
        let bench = await Bench.running()
        await bench.enter(manyRooms)
        bench.server.next("media.test/", times: 99, .hang)
        for (number, room) in manyRooms.enumerated() {
            #expect(bench.command(in: room, "$\(number)", media(number)) == .accepted)
        }
        await bench.settle()
        #expect(bench.command(in: room1, "$free") == .accepted)
        await bench.settle()
        #expect(bench.server.requests("/send/").map(\.url).filter { $0.contains("/%21r1") }.count == 1)
        // The files come, as many at once as there is room for.
        for _ in manyRooms {
            bench.server.release(.bytes(SmallImage.gif(frames: 2)))
            await bench.settle()
        }
        #expect(bench.server.requests("/send/").count == manyRooms.count + 1)
        #expect(Set(bench.server.requests("/send/").map(\.url)).count == manyRooms.count + 1)
    }

    @Test("More encrypted rooms than may send at once wait for their members: another one is answered at once")
    func keys() async {
        let bench = Bench(crypto: KeySource())
        bench.adapter.start()
        #expect(await bench.until { !bench.server.requests("/v3/sync").isEmpty })
        await bench.sync()
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 2 })
        await bench.enter(manyRooms, [created, encryptionOn])
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 3 })
        bench.server.next("/members", times: 99, .hang)
        for (number, room) in manyRooms.enumerated() {
            #expect(bench.command(in: room, "$\(number)") == .accepted)
        }
        #expect(await bench.until { bench.server.requests("/members").count == manyRooms.count })
        #expect(bench.command(in: room1, "$free") == .accepted)
        #expect(await bench.until { bench.server.sentBodies == ["Owl"] })
        let others = [ada, MatrixAdapterTests.bot].map { event("m.room.member", ["membership": "join"], key: $0) }
        bench.server.release(.ok(["chunk": .array(others)]))
        #expect(await bench.until { bench.server.requests("/send/m.room.encrypted/").count == manyRooms.count })
    }

    @Test("What is ready and waits for an account's limit may still be changed, and is taken back without a word")
    func changedMeanwhile() async {
        let bench = await Bench.running()
        await bench.enter(["!a", "!b", "!c"])
        bench.server.next("media.test/", times: 2, .hang)
        #expect(bench.command(in: room1, "$3", media(3)) == .accepted)
        #expect(bench.command(in: "!c", "$4", media(4)) == .accepted)
        bench.server.next("/send/", times: 2, .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.command(in: "!a", "$1") == .accepted && bench.command(in: "!b", "$2") == .accepted)
        await bench.settle()
        bench.server.release(.bytes(SmallImage.gif(frames: 2)))
        await bench.settle()
        #expect(bench.server.requests("/v3/upload").count == 2)
        let message = ChatMessage(
            id: "$3", conversation: Conversation(network: "home", name: room1, isDirect: false),
            sender: Sender(identity: .userID(ada), name: ada, isAdmin: false, isOperator: false), text: "",
            isAddressed: true,
            age: .zero, address: room1)
        let better = Reply(kind: .answer, audience: .conversation, text: "Better", url: nil, id: AnswerID("$3"))
        #expect(bench.adapter.revise(better, to: message) == .accepted)
        #expect(bench.adapter.retract(AnswerID("$4"), for: message) == .accepted)
        for _ in 0..<6 { await bench.advance(by: .seconds(10)) }
        #expect(bench.server.sentBodies.filter { $0 == "Better" }.count == 1)
        #expect(bench.server.requests("/send/").map(\.url).allSatisfy { !$0.contains("%21c/") })
        #expect(bench.server.requests("/redact/").isEmpty && bench.server.sent.allSatisfy { $0["url"] == nil })
    }

    @Test("An answer that a limit holds is taken back without a word, and changed where it stands")
    func limited() async {
        let bench = await Bench.running()
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        #expect(bench.command(in: room1, "$1") == .accepted && bench.command(in: room1, "$2") == .accepted)
        await bench.settle()
        let message = ChatMessage(
            id: "$1", conversation: Conversation(network: "home", name: room1, isDirect: false),
            sender: Sender(identity: .userID(ada), name: ada, isAdmin: false, isOperator: false), text: "",
            isAddressed: true,
            age: .zero, address: room1)
        #expect(bench.adapter.retract(AnswerID("$1"), for: message) == .accepted)
        await bench.advance(by: .seconds(20))
        #expect(bench.server.requests("/send/").map { $0.url.hasSuffix("%242") } == [false, true])
        #expect(bench.server.requests("/redact/").isEmpty)
    }

    @Test("What comes to nothing while it is prepared waits for no limit to be told, and another device makes all anew")
    func nothing() async {
        let (server, clock, lines) = (FakeHomeserver(), ManualClock(), RecordingLog())
        let sender = EventSender(calls: Calls(http: server), clock: clock, log: Log("matrix", to: lines))
        func settle() async { for _ in 0..<60 { await Task.yield() } }
        let gates = ["!keyless": Gate(clock: clock), "!slow": Gate(clock: clock)]
        var settled: [String] = []
        var times = 0
        sender.mayPut = { _ in true }
        sender.settled = { settled.append($0.room) }
        sender.prepare = { event in
            switch event.room {
            case "!keyless":
                return .later {
                    await gates[event.room]?.wait(by: nil)
                    return .failed("no keys")
                }
            case "!slow":
                times += 1
                let number = times
                return .later {
                    await gates[event.room]?.wait(by: nil)
                    var made = event
                    made.content = Array("{\"body\":\"made \(number)\"}".utf8)
                    return .event(made)
                }
            default: return .ready(event)
            }
        }
        func add(_ room: String) {
            let event = OutgoingEvent(
                room: room, type: "m.room.message", transactionID: room, content: Array("{\"body\":\"x\"}".utf8),
                answers: room)
            #expect(sender.add(event))
        }
        sender.resume(with: Homeserver(baseURL: "https://matrix.example.test", accessToken: "one"))
        server.next("/send/", times: 2, .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "10"))
        for room in ["!keyless", "!slow", "!a", "!b"] { add(room) }
        await settle()
        for gate in gates.values { gate.open() }
        await settle()
        #expect(settled.contains("!keyless") && lines.lines.filter { $0.contains("no keys") }.count == 1)
        sender.resume(with: Homeserver(baseURL: "https://matrix.example.test", accessToken: "two"))
        clock.advance(by: .seconds(30))
        await settle()
        #expect(Set(settled) == ["!keyless", "!slow", "!a", "!b"])
        #expect(server.sentBodies.filter { $0.hasPrefix("made") } == ["made 2"])
    }
}
