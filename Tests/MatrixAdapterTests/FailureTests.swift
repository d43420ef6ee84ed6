import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

@Loop @Suite struct FailureTests {
    @Test("BUG-17: a dead token stops the account with one line, and new settings start it again")
    func deadToken() async {
        let bench = await Bench.running()
        bench.server.sync(.refusal(401, "M_UNKNOWN_TOKEN"))
        await bench.settle()
        let count = bench.server.requests.count
        let lines = bench.lines.lines.filter { $0.contains("stopped") }
        #expect(lines.count == 1 && bench.adapter.haltReason != nil)
        await bench.advance(by: .hours(5))
        #expect(bench.server.requests.count == count)

        bench.adapter.update(
            settings: tokenSettings { $0.signIn = .accessToken(Secret("new")) }, admins: [ada], ignore: [],
            ageLimit: .minutes(2))
        await bench.settle()
        #expect(bench.adapter.haltReason == nil)
        #expect(bench.server.requests.last?.headers.contains(HTTPHeader("Authorization", "Bearer new")) == true)
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.bot.texts == ["!gif owl"])
    }

    @Test("BUG-17: a dead token at the start is the same")
    func deadAtStart() async {
        let bench = Bench()
        bench.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN"))
        bench.adapter.start()
        await bench.settle()
        await bench.advance(by: .hours(5))
        #expect(bench.server.requests.count == 2 && bench.adapter.haltReason != nil)
        #expect(bench.lines.lines.filter { $0.contains("stopped") }.count == 1)
    }

    @Test("BUG-17: a soft logout with a password logs in again on the same device, and what is queued goes out")
    func softLogout() async {
        let bench = await Bench.running(passwordSettings())
        await bench.sync([text("!gif owl", id: "$1")])
        bench.server.next("/send/", .refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        #expect(bench.answer("Owl") == .accepted)
        bench.server.next("/whoami", .refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        bench.server.sync(.refusal(401, "M_UNKNOWN_TOKEN", ["soft_logout": true]))
        await bench.settle()
        await bench.advance(by: .seconds(6))
        #expect(bench.server.requests("/login").count == 2)
        #expect(bench.server.sentBodies == ["Owl", "Owl"])
        #expect(Set(bench.server.requests("/send/").map(\.url)).count == 1)
        #expect(bench.adapter.haltReason == nil)
        // Nothing is answered twice over it.
        await bench.sync([text("!gif owl", id: "$1"), text("!gif hen", id: "$2")])
        #expect(bench.bot.texts == ["!gif owl", "!gif hen"])
    }

    @Test("BUG-17: a password doesn't revive a device that was logged out")
    func hardLogout() async {
        let bench = await Bench.running(passwordSettings())
        bench.server.sync(.refusal(401, "M_UNKNOWN_TOKEN"))
        await bench.settle()
        await bench.advance(by: .hours(1))
        #expect(bench.server.requests("/login").count == 1 && bench.adapter.haltReason != nil)
    }

    @Test(
        "Shut accounts are named and left alone",
        arguments: [
            "M_USER_LOCKED", "M_USER_SUSPENDED", "M_USER_DEACTIVATED",
        ])
    func shut(code: String) async {
        let bench = await Bench.running()
        bench.server.sync(.refusal(403, code))
        await bench.settle()
        #expect(bench.adapter.haltReason?.contains(code) == true)
        #expect(bench.lines.lines.filter { $0.contains(code) }.count == 1)
    }

    @Test(
        "BUG-17: an hour of failures makes few requests and few, short lines",
        arguments: [
            FakeHomeserver.Answer.page(502, String(repeating: "<p>bad gateway</p>\n", count: 600)),
            .failure(.connectFailed(host: "matrix.example.test", reason: "refused")),
        ])
    func hour(answer: FakeHomeserver.Answer) async {
        let bench = await Bench.running()
        let before = bench.server.requests.count
        let told = bench.lines.lines.count
        bench.server.next("/sync", times: 10_000, answer)
        bench.server.sync(answer)
        await bench.settle()
        for _ in 0..<360 { await bench.advance(by: .seconds(10)) }
        #expect((30...100).contains(bench.server.requests.count - before))
        let lines = bench.lines.lines.dropFirst(told)
        #expect((1...4).contains(lines.count))
        #expect(lines.allSatisfy { $0.utf8.count < 400 && !$0.contains("\n") })
        #expect(bench.store.positions[bot] == "s1")
    }

    @Test(
        "BUG-17: garbage never moves the position",
        arguments: [
            "", "{", "<html>", #"{"next_batch":"#, #"{"rooms":{}}"#,
        ])
    func garbage(body: String) async {
        let bench = await Bench.running()
        bench.server.sync(.page(200, body))
        await bench.settle()
        await bench.advance(by: .seconds(2))
        #expect(bench.server.requests("/sync").last?.url.contains("since=s1&") == true)
        await bench.sync([text("!gif owl", id: "$1")])
        #expect(bench.bot.texts == ["!gif owl"])
    }

    @Test("A server that doesn't hold the request open is not asked without end")
    func hasty() async {
        let bench = await Bench.running()
        bench.server.next("/sync", times: 1000, .ok(["next_batch": "s1"]))
        bench.server.sync(.ok(["next_batch": "s1"]))
        await bench.settle()
        let count = bench.server.requests("/sync").count
        await bench.advance(by: .seconds(1))
        #expect(bench.server.requests("/sync").count <= count + 1)
    }

    @Test("BUG-30: a stop cancels the long poll, finishes what is queued, and saves the position")
    func stop() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        bench.server.next("/send/", .hang)
        _ = bench.answer("Owl")
        let done = Task { @Loop in await bench.adapter.stop(by: bench.clock.now + .seconds(5)) }
        await bench.settle()
        bench.server.release(.ok(["event_id": "$x"]))
        await done.value
        #expect(bench.store.positions[bot] == "s2")
        let count = bench.server.requests.count
        await bench.sync([text("!gif hen", id: "$2")])
        await bench.advance(by: .hours(1))
        #expect(bench.server.requests.count == count && bench.bot.texts == ["!gif owl"])
    }

    @Test("BUG-30: at the deadline a stop ends whatever hangs, and the command is not taken for answered")
    func stopAtDeadline() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        bench.server.next("/send/", .hang)
        _ = bench.answer("Owl")
        let done = Task { @Loop in await bench.adapter.stop(by: bench.clock.now + .seconds(5)) }
        await bench.settle()
        await bench.advance(by: .seconds(5))
        await done.value
        #expect(bench.store.positions[bot] == "s1")
    }

    @Test("BUG-30: an answer that comes after the stop is refused, and its command isn't taken for answered")
    func answerAfterStop() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        await bench.adapter.stop(by: bench.clock.now + .seconds(5))
        #expect(bench.answer("Owl") == .refused("the account is stopped"))
        #expect(bench.store.positions[bot] == "s1" && bench.store.answered.isEmpty && bench.server.sent.isEmpty)
    }

    @Test("BUG-04, BUG-30: what a redacted command's answer still waits for is not lost by a stop")
    func redactionAtStop() async {
        let bench = await Bench.running()
        await bench.sync([text("!gif owl", id: "$1")])
        let message = bench.bot.messages[0]
        let reply = Reply(kind: .answer, audience: .conversation, text: "Owl", url: nil, id: AnswerID("$1"))
        #expect(bench.adapter.send(reply, to: message) == .accepted)
        bench.adapter.finished(message)
        await bench.settle()
        #expect(bench.store.positions[bot] == "s2")
        bench.bot.takesBack = true
        bench.server.next("/redact/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "60"))
        await bench.sync([event("m.room.redaction", ["redacts": "$1"], id: "$r")])
        #expect(bench.bot.outcomes == [.accepted])
        await bench.sync()
        let done = Task { @Loop in await bench.adapter.stop(by: bench.clock.now + .seconds(5)) }
        await bench.settle()
        await bench.advance(by: .seconds(5))
        await done.value
        #expect(bench.store.positions[bot] == "s2")
    }
}
