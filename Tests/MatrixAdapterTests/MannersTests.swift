import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

@Loop @Suite struct MannersTests {
    private func typed(_ bench: Bench) -> [Bool] {
        bench.server.requests("/typing/").compactMap { try? JSONValue(parsing: $0.body ?? [])["typing"]?.bool }
    }

    @Test("BUG-16: typing shows once a search has taken 500 ms, and ends with it")
    func typing() async {
        let bench = await Bench.asked()
        await bench.advance(by: .milliseconds(499))
        #expect(typed(bench).isEmpty)
        await bench.advance(by: .milliseconds(1))
        #expect(typed(bench) == [true])
        await bench.advance(by: .seconds(25))
        #expect(typed(bench) == [true, true])
        _ = bench.post(nil, "Owl")
        bench.adapter.finished(bench.bot.messages[0])
        await bench.settle()
        #expect(typed(bench) == [true, true, false])
        await bench.advance(by: .minutes(5))
        #expect(typed(bench).count == 3)
    }

    @Test("No typing for a quick answer, where the setting forbids it, or while the room is limited")
    func noTyping() async {
        let bench = await Bench.asked()
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "30"))
        _ = bench.post(nil, "Owl")
        bench.adapter.finished(bench.bot.messages[0])
        await bench.settle()
        await bench.sync([text("!gif hen", id: "$2")])
        await bench.advance(by: .seconds(2))
        #expect(typed(bench).isEmpty)
        let silent = await Bench.asked(tokenSettings { $0.typing = false })
        await silent.advance(by: .seconds(2))
        #expect(typed(silent).isEmpty)
    }

    @Test("The command is marked as read, in its thread; one receipt stands for those before it")
    func receipts() async {
        let bench = await Bench.asked()
        await bench.sync([text("!gif hen", id: "$2")])
        let thread: JSONObject = ["m.relates_to": ["rel_type": "m.thread", "event_id": "$root"]]
        await bench.sync([text("!gif fox", id: "$3", more: thread), text("nice", id: "$4")])
        for message in bench.bot.messages[0..<3] { bench.adapter.finished(message) }
        await bench.advance(by: .seconds(1))
        let receipts = bench.server.requests("/receipt/m.read/")
        #expect(Set(receipts.map { $0.url.suffix(4) }) == ["%242", "%243"])
        let threads = receipts.compactMap { try? JSONValue(parsing: $0.body ?? [])["thread_id"]?.string }
        #expect(Set(threads) == ["main", "$root"])
        await bench.advance(by: .minutes(1))
        #expect(bench.server.requests("/receipt/").count == 2)
    }

    @Test("The avatar is uploaded once, and set only where another is shown")
    func avatar() async {
        let bench = Bench(tokenSettings { $0.avatar = "mxc://example.test/me" })
        bench.adapter.start()
        await bench.settle()
        let set = bench.server.requests("/avatar_url").filter { $0.method == .put }
        #expect(set.map { try? JSONValue(parsing: $0.body ?? [])["avatar_url"] } == ["mxc://example.test/me"])
        let again = Bench(tokenSettings { $0.avatar = "mxc://example.test/me" })
        again.server.next("/avatar_url", .ok(["avatar_url": "mxc://example.test/me"]))
        again.adapter.start()
        await again.settle()
        #expect(again.server.requests("/avatar_url").count == 1)
    }

    @Test("A stop takes typing back, and doesn't wait for a server that is away")
    func stopped() async {
        let bench = await Bench.asked()
        await bench.advance(by: .milliseconds(600))
        await bench.adapter.stop(by: bench.clock.now + .seconds(5))
        #expect(typed(bench) == [true, false])
        let slow = await Bench.asked()
        await slow.advance(by: .milliseconds(600))
        slow.server.next("/typing/", .hang)
        let done = Task { @Loop in await slow.adapter.stop(by: slow.clock.now + .seconds(5)) }
        await slow.settle()
        await slow.advance(by: .seconds(2))
        await done.value
        #expect(typed(slow) == [true, false])
    }

    @Test("A name and a picture that a reload brings are shown")
    func profile() async {
        let bench = await Bench.running()
        func update(_ settings: MatrixAccountSettings) async {
            bench.adapter.update(settings: settings, admins: [ada], ignore: [], ageLimit: .minutes(2))
            await bench.settle()
        }
        await update(tokenSettings { $0.displayName = "Giffy" })
        let names = bench.server.requests("/displayname").filter { $0.method == .put }
        #expect(names.map { try? JSONValue(parsing: $0.body ?? [])["displayname"] } == ["Giffy"])
        await bench.sync([text("Giffy: gif owl", id: "$1")])
        #expect(bench.bot.texts == ["gif owl"])
        await update(
            tokenSettings {
                $0.displayName = "Giffy"
                $0.avatar = "mxc://example.test/me"
            })
        #expect(bench.server.requests("/avatar_url").filter { $0.method == .put }.count == 1)
        #expect(bench.server.requests("/sync").count == 3)
    }
}
