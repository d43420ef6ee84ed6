import Base
import MatrixAdapter
import SQLite
import State
import TestSupport
import Testing

private let upload = StoredUpload(
    uri: "mxc://a/b", mediaType: "image/gif", width: 480, height: 270, byteCount: 1234, isAnimated: true)

private func answer(_ id: String, thread: String? = nil) -> StoredAnswer {
    StoredAnswer(
        id: id, commandRoom: "!c", room: "!r", thread: thread, asker: "@ada:x", event: id + "a", at: ManualClock().wall)
}

@Suite struct MatrixRecordTests {
    @Test @Loop func aRestartKeepsAnswersAndUploads() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        #expect(store.answers(of: "@g:x").isEmpty && store.upload(of: "folder:a", by: "@g:x") == nil)
        store.save(answer: answer("$1"), of: "@g:x")
        store.save(answer: answer("$2", thread: "$root"), of: "@g:x")
        store.save(answer: answer("$1"), of: "@g:x")
        store.save(answer: answer("$3"), of: "@other:x")
        store.save(answer: answer("$4"), of: "@g:x")
        store.forget(answer: "$4", of: "@g:x")
        store.save(upload: upload, of: "folder:a", by: "@g:x")
        #expect(store.upload(of: "folder:a", by: "@g:x") == upload)
        await store.close()
        let again = try scratch.open()
        #expect(again.answers(of: "@g:x") == [answer("$2", thread: "$root"), answer("$1")])
        #expect(again.answers(of: "@other:x") == [answer("$3")])
        #expect(again.upload(of: "folder:a", by: "@g:x") == upload && again.upload(of: "folder:a", by: "@h:x") == nil)
        await again.close()
        #expect(scratch.log.lines.isEmpty)
    }

    @Test @Loop func aRestartKeepsChatsOfTwo() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.save(directChat: "!a", with: "@ada:x", of: "@g:x")
        store.save(directChat: "!b", with: "@bo:x", of: "@g:x")
        store.save(directChat: "!c", with: "@ada:x", of: "@g:x")
        store.save(directChat: "!d", with: "@ada:x", of: "@other:x")
        store.save(directChat: nil, with: "@bo:x", of: "@g:x")
        // An account that signs in anew asks again.
        #expect(store.directChats(of: "@g:x") == ["@ada:x": "!c"])
        await store.close()
        let again = try scratch.open()
        #expect(again.directChats(of: "@g:x") == ["@ada:x": "!c"])
        #expect(again.directChats(of: "@other:x") == ["@ada:x": "!d"])
        for number in 0..<5100 { again.save(directChat: "!r", with: "@p\(number):x", of: "@g:x") }
        await again.close()
        let last = try scratch.open()
        let kept = last.directChats(of: "@g:x")
        #expect(kept.count == 5000 && kept["@p99:x"] == nil && kept["@p100:x"] == "!r")
        await last.close()
        #expect(scratch.log.lines.isEmpty)
    }

    @Test("A chat of two that is used stays; one that isn't goes after thirty days, from the file too")
    @Loop func oldChatsOfTwo() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.save(directChat: "!a", with: "@ada:x", of: "@g:x")
        store.save(directChat: "!b", with: "@bo:x", of: "@g:x")
        for _ in 0..<4 {
            scratch.clock.advance(by: .days(8))
            store.save(directChat: "!a", with: "@ada:x", of: "@g:x")
        }
        #expect(store.directChats(of: "@g:x") == ["@ada:x": "!a"])
        await store.close()
        let again = try scratch.open()
        #expect(again.directChats(of: "@g:x") == ["@ada:x": "!a"])
        await again.close()
        let rows = try Database(path: scratch.file("gifbot.db"), busyTimeout: .zero)
        #expect(try rows.integer("SELECT count(*) FROM matrix_direct") == 1)
        scratch.clock.advance(by: .days(31))
        let late = try scratch.open()
        #expect(late.directChats(of: "@g:x").isEmpty)
        await late.close()
    }

    @Test("Of both only so many are kept, and none longer than thirty days") @Loop func bounds() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 0..<1100 {
            store.save(upload: upload, of: "folder:\(number)", by: "@g:x")
            store.save(answer: answer("$\(number)"), of: "@g:x")
        }
        #expect(store.upload(of: "folder:99", by: "@g:x") == nil)
        #expect(store.upload(of: "folder:100", by: "@g:x") == upload)
        await store.close()
        let again = try scratch.open()
        #expect(again.answers(of: "@g:x").map(\.id) == (100..<1100).map { "$\($0)" })
        #expect(again.upload(of: "folder:99", by: "@g:x") == nil && again.upload(of: "folder:100", by: "@g:x") != nil)
        await again.close()
        scratch.clock.advance(by: .days(31))
        let late = try scratch.open()
        #expect(late.answers(of: "@g:x").isEmpty && late.upload(of: "folder:100", by: "@g:x") == nil)
        await late.close()
    }
}
