import Base
import Chat
import JSON
import Matrix
import TestSupport
import Testing

@testable import MatrixAdapter

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
}
