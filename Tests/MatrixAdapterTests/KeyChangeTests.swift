import Base
import Chat
import HTTP
import JSON
import Matrix
import MatrixCrypto
import TestSupport
import Testing

@testable import MatrixAdapter

private let encryptionOn = event("m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2"], id: "$on", key: "")

private let nobody: FakeHomeserver.Answer = .ok(["chunk": []])

private func command(_ id: String) -> ChatMessage {
    ChatMessage(
        id: id, conversation: Conversation(network: "home", name: room1, isDirect: false),
        sender: Sender(identity: .userID(ada), name: ada, isAdmin: false, isOperator: false), text: "!gif owl",
        isAddressed: true,
        age: .zero, address: RoomAddress(room: room1, thread: nil).text)
}

private let owl = Reply(kind: .answer, audience: .conversation, text: "Owl", url: nil)

extension Bench {
    fileprivate func reload(_ change: (inout MatrixAccountSettings) -> Void) {
        adapter.update(settings: tokenSettings(change), admins: [ada], ignore: [], ageLimit: .minutes(2))
    }

    fileprivate var sealedPuts: Int { server.requests("/send/m.room.encrypted/").count }
}

@Suite("Answers while the keys change under them") @Loop struct KeyChangeTests {
    private let keys = KeySource()

    private func running(
        _ settings: MatrixAccountSettings = tokenSettings(), state: [JSONValue] = [created, encryptionOn]
    ) async -> Bench {
        let bench = Bench(settings, crypto: keys)
        bench.adapter.start()
        #expect(await bench.until { !bench.server.requests("/v3/sync").isEmpty })
        await bench.sync(state: state)
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 2 })
        // What was said before the start isn't answered.
        await bench.advance(by: .minutes(10))
        return bench
    }

    @Test("A command in hand when a reload switches encryption isn't handed over again", arguments: [false, true])
    func switched(isOn: Bool) async {
        let bench = await running(tokenSettings { $0.encryption = !isOn }, state: [created])
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 3 })
        #expect(bench.bot.messages.count == 1 && bench.store.positions[bot] == "s1")
        bench.reload { $0.encryption = isOn }
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 4 })
        #expect(bench.server.requests("/v3/sync").last?.url.contains("since=s2&") == true)
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        #expect(await bench.until { bench.bot.texts.contains("!gif hen") })
        #expect(bench.bot.texts == ["!gif owl", "!gif hen"])
        for (index, word) in ["Owl", "Hen"].enumerated() { #expect(bench.answer(word, to: index) == .accepted) }
        await bench.settle()
        #expect(bench.server.sentBodies == ["Owl", "Hen"])
        #expect(bench.store.answered == ["$1", "$2"] && bench.store.positions[bot] == "s3")
    }

    @Test("An answer that is being encrypted when its keys are closed is encrypted with the next ones")
    func exchanged() async {
        let bench = await running()
        bench.server.next("/members?", .hang)
        #expect(bench.adapter.send(owl, to: command("$1")) == .accepted)
        #expect(await bench.until { bench.server.requests("/members?").count == 1 })
        bench.reload { $0.recoveryKey = Secret("another") }
        #expect(await bench.until { keys.timesOpened == 2 && bench.adapter.encryption != nil })
        bench.server.release(nobody)
        #expect(await bench.until { bench.sealedPuts == 1 })
        #expect(bench.server.requests("/send/").count == 1 && bench.adapter.sender.givenUp == 0)
    }

    @Test("While the keys can't be opened answers wait, and aren't refused")
    func opening() async {
        let bench = await running()
        keys.breaks(times: 1)
        bench.reload { $0.recoveryKey = Secret("another") }
        #expect(
            await bench.until { bench.lines.lines.contains { $0.contains("encryption can't begin") } })
        #expect(bench.adapter.send(owl, to: command("$1")) == .accepted)
        await bench.settle()
        #expect(bench.server.requests("/send/").isEmpty)
        await bench.advance(by: .seconds(2))
        #expect(await bench.until { bench.adapter.encryption != nil })
        await bench.advance(by: .seconds(2))
        #expect(await bench.until { bench.sealedPuts == 1 })
    }

    @Test("With encryption switched off meanwhile what was to be encrypted is given up, and counted")
    func switchedOff() async {
        let bench = await running()
        bench.server.next("/members?", .hang)
        #expect(bench.adapter.send(owl, to: command("$1")) == .accepted)
        #expect(await bench.until { bench.server.requests("/members?").count == 1 })
        bench.reload { $0.encryption = false }
        #expect(await bench.until { bench.adapter.encryption == nil })
        bench.server.release(nobody)
        #expect(await bench.until { bench.adapter.sender.givenUp == 1 })
        #expect(bench.server.requests("/send/").isEmpty)
    }

    @Test("An answer has one patience: what it waited before it was encrypted counts, and giving up is told")
    func patience() async {
        let bench = await running()
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", ["retry_after_ms": 200_000]))
        #expect(bench.adapter.send(owl, to: command("$1")) == .accepted)
        #expect(await bench.until { bench.sealedPuts == 1 })
        // Who is there has to be asked for again.
        await bench.sync(rooms: ["join": [room1: ["timeline": ["limited": true, "events": []]]]])
        #expect(await bench.until { bench.server.requests("/v3/sync").count == 3 })
        bench.server.next("/members?", .hang)
        await bench.advance(by: .seconds(200))
        #expect(await bench.until { bench.server.requests("/members?").count == 2 })
        await bench.advance(by: .seconds(101))
        bench.server.release(nobody)
        #expect(await bench.until { bench.adapter.sender.givenUp == 1 || bench.sealedPuts == 2 })
        #expect(bench.adapter.sender.givenUp == 1 && bench.sealedPuts == 1)
        #expect(bench.lines.lines.contains { $0.contains("it waited for too long") })
    }

    @Test("A message told twice while its key is missing holds the position back once")
    func toldTwice() async {
        let bench = await running()
        let sealed: JSONValue = [
            "algorithm": "m.megolm.v1.aes-sha2", "session_id": "c2Vzc2lvbg", "ciphertext": "AwgA",
        ]
        for count in 3...4 {
            await bench.sync([event("m.room.encrypted", sealed, id: "$sealed")])
            #expect(await bench.until { bench.server.requests("/v3/sync").count == count })
        }
        #expect(bench.store.positions[bot] == "s1")
        await bench.advance(by: .minutes(2))
        #expect(await bench.until { bench.store.positions[bot] == "s3" })
    }
}
