import Base
import Chat
import JSON
import Matrix
import MatrixCrypto
import TestSupport
import Testing

@testable import MatrixAdapter

private struct NoLibrary: CryptoSource {
    let trouble: String

    var attachments: AttachmentCipher {
        AttachmentCipher(random: { _ in [] }, aes256CTR: { _, _, _ in nil }, sha256: { _ in [] })
    }
    func machine(user: String, device: String, recoveryKey: Secret?, trust: DeviceTrust) throws(CryptoError)
        -> OlmMachine
    {
        throw .olm(OlmError(.notInstalled, trouble))
    }
}

@Suite("Encrypted rooms") @Loop struct EncryptedRoomTests {
    @Test("A room that was ever seen to be encrypted gets nothing in clear, whatever its state says after a restart")
    func neverInClear() async {
        let kept = MemoryStore(position: "s0", session: nil, answered: [])
        kept.encryptedRooms = [room1]
        let bench = Bench(position: nil, store: kept)
        bench.adapter.start()
        await bench.settle()
        await bench.sync()
        await bench.advance(by: .minutes(10))
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.bot.messages.isEmpty && bench.server.sent.isEmpty)
    }

    @Test("What is seen of encryption is kept, with encryption switched off too, and told in one line")
    func kept() async {
        let bench = await Bench.running(tokenSettings { $0.encryption = false })
        let on = event("m.room.encryption", ["algorithm": "m.megolm.v1.aes-sha2"], id: "$on", key: "")
        await bench.sync([text("!gif owl", id: "$1"), on])
        await bench.sync([on, text("!gif hen", id: "$2")])
        #expect(bench.store.encryptedRooms == [room1])
        #expect(bench.bot.texts == ["!gif owl"])
        #expect(bench.answer("Owl", to: 0) == .refused("the room is encrypted"))
        #expect(bench.lines.lines.filter { $0.contains("an encrypted room is left alone") }.count == 1)
        #expect(bench.server.sent.isEmpty)
    }

    @Test("A token without a device leaves encryption off, with a line that says why")
    func noDevice() async {
        let bench = Bench()
        bench.adapter.start()
        await bench.settle()
        #expect(!bench.lines.lines.contains { $0.contains("encryption is on") })
        #expect(bench.server.requests("/sync").count == 1)
    }

    @Test("Without the library the account waits, and the log says once what to install")
    func noLibrary() async {
        let trouble = "libolm can't be loaded (no such file); install the package libolm3"
        let bench = Bench(crypto: NoLibrary(trouble: trouble))
        bench.adapter.start()
        #expect(await bench.until { bench.lines.lines.contains { $0.contains("the account waits") } })
        for _ in 0..<5 { await bench.advance(by: .minutes(1)) }
        let told = bench.lines.lines.filter { $0.contains("the account waits") }
        #expect(told.count == 1 && told[0].contains(trouble) && !told[0].contains("store"), "\(bench.lines.lines)")
    }

    @Test("Messages that wait for a key are bounded: the ones that came first go")
    func late() {
        var late = LateMessages()
        let now = Instant.now
        func entry(_ number: Int, _ session: String = "s", until: Duration = .seconds(60)) -> LateMessages.Entry {
            var event = MatrixEvent()
            event.type = "m.room.encrypted"
            event.id = "$\(number)"
            event.sender = ada
            event.sealed = [1]
            return LateMessages.Entry(
                sealed: SealedEvent(event, in: room1)!, session: session, since: now, until: now + until)
        }
        for number in 0..<LateMessages.capacity { #expect(late.add(entry(number)).isEmpty) }
        // The same again takes no second place.
        #expect(late.add(entry(3)).map(\.id) == ["$3"])
        #expect(late.add(entry(9_000, "t", until: .seconds(1))).map(\.id) == ["$0"])
        #expect(late.nextDeadline == now + .seconds(1))
        #expect(late.expired(now + .seconds(2)).map(\.sealed.id) == ["$9000"])
        #expect(late.redacted("$3", in: "!other").isEmpty && late.redacted("$3", in: room1).count == 1)
        #expect(late.take("s", in: "!other").isEmpty)
        // Nobody but the sender has anything to say about the key.
        #expect(late.withheld("s", in: room1, by: "@mallory:example.org").isEmpty)
        #expect(late.withheld("u", in: room1, by: ada).isEmpty)
        #expect(late.take("s", in: room1).count == LateMessages.capacity - 2)
        #expect(late.add(entry(1)).isEmpty && late.withheld("s", in: room1, by: ada).map(\.sealed.id) == ["$1"])
        #expect(late.nextDeadline == nil)
    }
}
