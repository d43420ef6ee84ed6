import Base
import Chat
import Files
import Glibc
import HTTP
import JSON
import Matrix
import TestSupport
import Testing

@testable import MatrixAdapter

private let gif = SmallImage.gif(frames: 3)

private func file(_ name: String, bytes: Int? = nil, width: Int? = 5, height: Int? = 4) -> ReplyMedia.File {
    ReplyMedia.File(
        url: "https://media.test/\(name)", mediaType: "image/gif", width: width, height: height, byteCount: bytes)
}

private func media(_ files: [ReplyMedia.File], id: String = "giphy:1", atMost bytes: Int = 8_000_000) -> ReplyMedia {
    ReplyMedia(id: id, files: files, title: "Party Parrot!", altText: "A parrot nods", maximumBytes: bytes)
}

extension Bench {
    func post(_ media: ReplyMedia?, _ text: String = "Party — https://x.test/o", to index: Int? = nil) -> SendOutcome {
        let message = bot.messages[index ?? bot.messages.count - 1]
        return adapter.send(
            Reply(
                kind: .answer, audience: .conversation, text: text, url: "https://x.test/o",
                id: message.id.map(AnswerID.init), media: media), to: message)
    }

    static func asked(_ settings: MatrixAccountSettings = tokenSettings()) async -> Bench {
        let bench = await Bench.running(settings)
        await bench.sync([text("!gif owl", id: "$1")])
        return bench
    }
}

@Loop @Suite struct MediaTests {
    @Test("BUG-19: an image with type, whole numbers and sizes from the bytes, the text as its caption")
    func image() async {
        let bench = await Bench.asked()
        // The name and the source lie about the type.
        bench.server.next("media.test/a.webp", .bytes(gif))
        #expect(bench.post(media([file("a.webp", bytes: 160, width: 480, height: 270)])) == .accepted)
        await bench.settle()
        #expect(
            bench.server.sent == [
                [
                    "msgtype": "m.image", "body": "Party — https://x.test/o", "filename": "party-parrot.gif",
                    "url": "mxc://example.test/gif", "m.mentions": [:], "format": "org.matrix.custom.html",
                    "formatted_body": "Party — <a href=\"https://x.test/o\">https://x.test/o</a>",
                    "info": [
                        "mimetype": "image/gif", "w": 5, "h": 4, "size": .integer(Int64(gif.count)),
                        "is_animated": true,
                    ],
                    "org.matrix.msc1767.alt_text": [
                        "org.matrix.msc1767.text": [["body": "A parrot nods", "mimetype": "text/plain"]]
                    ],
                    "m.relates_to": ["m.in_reply_to": ["event_id": "$1"]],
                ]
            ])
        let upload = bench.server.requests("/media/v3/upload")[0]
        #expect(upload.method == .post && upload.body == gif && upload.url.hasSuffix("?filename=party-parrot.gif"))
        #expect(upload.headers.contains(HTTPHeader("Content-Type", "image/gif")))
    }

    @Test("A GIF seen before is not fetched again, in another room and after a restart neither")
    func again() async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", .bytes(gif))
        _ = bench.post(media([file("a.gif")]))
        await bench.settle()
        await bench.sync([text("!gif owl", id: "$2")], room: "!r2:example.test")
        _ = bench.post(media([file("a.gif")]))
        await bench.settle()
        #expect(bench.server.requests("media.test").count == 1 && bench.server.requests("/upload").count == 1)
        #expect(bench.server.sent.map { $0["url"]?.string } == ["mxc://example.test/gif", "mxc://example.test/gif"])
        // Too large for this room: another file of it is looked for.
        await bench.sync([text("!gif owl", id: "$3")])
        _ = bench.post(media([file("s.gif")], atMost: 10))
        await bench.settle()
        #expect(bench.server.requests("media.test").count == 2)
        #expect(bench.server.sent.last?["msgtype"] == "m.notice")
    }

    @Test("A film is a video")
    func video() async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", .bytes(SmallImage.mp4()))
        _ = bench.post(media([file("a.mp4", width: nil, height: nil)]))
        await bench.settle()
        #expect(bench.server.sent[0]["msgtype"] == "m.video" && bench.server.sent[0]["filename"] == "party-parrot.mp4")
        #expect(bench.server.sent[0]["info"]?["mimetype"] == "video/mp4" && bench.server.sent[0]["info"]?["w"] == 320)
    }

    @Test(
        "BUG-22: refused as too large in any way, the smaller file is tried once, then the link goes out",
        arguments: [
            .page(413, "<html>Request Entity Too Large</html>"), .refusal(413, "M_TOO_LARGE"),
            .refusal(400, "M_TOO_LARGE"),
        ] as [FakeHomeserver.Answer])
    func tooLarge(refusal: FakeHomeserver.Answer) async {
        let bench = await Bench.asked()
        let smaller = SmallImage.gif(frames: 2)
        bench.server.next("media.test/l.gif", .bytes(gif))
        bench.server.next("media.test/s.gif", .bytes(smaller))
        bench.server.next("/upload", refusal)
        _ = bench.post(media([file("l.gif"), file("s.gif")]))
        await bench.settle()
        #expect(bench.server.sent[0]["info"]?["size"] == .integer(Int64(smaller.count)))
        await bench.sync([text("!gif owl", id: "$2")])
        for _ in 0..<3 { bench.server.next("media.test/", .bytes(SmallImage.gif(frames: 1))) }
        for _ in 0..<3 { bench.server.next("/upload", refusal) }
        _ = bench.post(media([file("1"), file("2"), file("3")], id: "giphy:2"))
        await bench.settle()
        #expect(bench.server.sent.count == 2 && bench.server.sent[1]["msgtype"] == "m.notice")
        #expect(bench.server.requests("/upload").count == 4)
    }

    @Test("BUG-22: no more is read than may be posted, and the server's limit is asked for once and kept to")
    func limits() async {
        let bench = await Bench.asked()
        bench.server.next("/media/config", .ok(["m.upload.size": 1000]))
        bench.server.next("media.test/m.gif", .failure(.bodyTooLarge(limit: 1000)))
        bench.server.next("media.test/s.gif", .bytes(gif))
        _ = bench.post(media([file("l.gif", bytes: 1001), file("m.gif", bytes: 900), file("s.gif")]))
        await bench.settle()
        #expect(bench.server.sent[0]["msgtype"] == "m.image")
        let fetched = bench.server.requests("media.test")
        #expect(fetched.map(\.url) == ["https://media.test/m.gif", "https://media.test/s.gif"])
        #expect(fetched.allSatisfy { $0.maximumBody == 1000 && $0.timeout <= Uploads.downloadTimeout })
        await bench.sync([text("!gif owl", id: "$2")])
        bench.server.next("media.test/", .bytes(gif))
        _ = bench.post(media([file("x.gif")], id: "giphy:2"))
        await bench.settle()
        #expect(bench.server.requests("/media/config").count == 1)
    }

    @Test(
        "What is no picture, or can't be had, is a link",
        arguments: [
            .page(200, "<html>"), .page(404, "gone"), .failure(.timedOut(host: "media.test")), .bytes([]),
            .failure(.redirectRefused(host: "media.test")),
        ] as [FakeHomeserver.Answer])
    func unusable(answer: FakeHomeserver.Answer) async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", answer)
        _ = bench.post(media([file("a.gif")]))
        await bench.settle()
        #expect(bench.server.sent.count == 1 && bench.server.sent[0]["msgtype"] == "m.notice")
        #expect(bench.server.requests("/upload").isEmpty)
    }

    @Test("An upload holds its own room's answers, in their order, and no other room's")
    func order() async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", .hang)
        _ = bench.post(media([file("a.gif")]), "first")
        await bench.sync([text("!gif hen", id: "$2")])
        _ = bench.post(nil, "second")
        await bench.sync([text("!gif fox", id: "$3")], room: "!r2:example.test")
        _ = bench.post(nil, "elsewhere")
        await bench.settle()
        #expect(bench.server.sentBodies == ["elsewhere"])
        bench.server.release(.bytes(gif))
        await bench.settle()
        #expect(bench.server.sentBodies == ["elsewhere", "first", "second"])
    }

    @Test("BUG-16: an upload that is limited waits as told, and the event is uploaded for once")
    func limited() async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", .bytes(gif))
        bench.server.next("/upload", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "3"))
        bench.server.next("/send/", .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "2"))
        _ = bench.post(media([file("a.gif")]))
        await bench.settle()
        #expect(bench.server.requests("/upload").count == 1 && bench.server.sent.isEmpty)
        await bench.advance(by: .seconds(3))
        #expect(bench.server.requests("/upload").count == 2 && bench.server.sent.count == 1)
        await bench.advance(by: .seconds(2))
        #expect(bench.server.requests("/upload").count == 2 && bench.server.sent.count == 2)
        #expect(Set(bench.server.requests("/send/").map(\.url)).count == 1)
        #expect(bench.server.sent.allSatisfy { $0["msgtype"] == "m.image" })
    }

    @Test("BUG-16: a server that says at once, again and again, gets the file a few times, and then the link")
    func limitedAtOnce() async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", .bytes(gif))
        bench.server.next("/upload", times: 1000, .refusal(429, "M_LIMIT_EXCEEDED", retryAfter: "0"))
        _ = bench.post(media([file("a.gif")]))
        await bench.settle()
        #expect(bench.server.requests("/upload").count == 1)
        for _ in 0..<120 { await bench.advance(by: .milliseconds(250)) }
        #expect(bench.server.requests("/upload").count == 7 && bench.server.sent.map { $0["msgtype"] } == ["m.notice"])
    }

    @Test("BUG-18: whoever leaves while an upload is under way sends nothing there")
    func left() async {
        let bench = await Bench.asked()
        bench.server.next("media.test/", .hang)
        _ = bench.post(media([file("a.gif")]))
        await bench.settle()
        await bench.sync(rooms: ["leave": [room1: [:]]])
        bench.server.release(.bytes(gif))
        await bench.settle()
        #expect(bench.server.sent.isEmpty && bench.server.requests("/upload").isEmpty)
        #expect(bench.adapter.letters.isEmpty)
    }

    @Test("BUG-22: another homeserver is asked anew what it takes")
    func otherServer() async {
        let bench = await Bench.asked()
        bench.server.next("media/config", .ok(["m.upload.size": 10]))
        bench.server.next("media.test/", .bytes(gif))
        _ = bench.post(media([file("a.gif", bytes: 11)]))
        await bench.settle()
        #expect(bench.server.requests("/media/config").count == 1 && bench.server.requests("/upload").isEmpty)
        bench.adapter.update(
            settings: tokenSettings { $0.homeserver = "https://new.example.test" }, admins: [ada], ignore: [],
            ageLimit: .minutes(2))
        await bench.settle()
        await bench.sync([text("!gif hen", id: "$2")])
        _ = bench.post(media([file("a.gif", bytes: 11)]))
        await bench.settle()
        #expect(bench.server.requests("https://new.example.test/_matrix/media/v3/upload").count == 1)
    }

    @Test("A file of this machine is read there")
    func localFile() async throws {
        let reader = FileBytes()
        #expect(FileBytes.path(of: "file:///srv/g%20ifs/%C3%BC.gif") == "/srv/g ifs/ü.gif")
        #expect(FileBytes.path(of: "file://host/x") == nil && FileBytes.path(of: "file:///a%00b") == nil)
        #expect(await (try? reader.read("/etc/hostname", upTo: 1 << 20) { !$0.isEmpty }) == true)
        await #expect(throws: FileError.tooLarge(limit: 3)) { _ = try await reader.read("/etc/passwd", upTo: 3) { $0 } }
        await #expect(throws: FileError.notAFile) { _ = try await reader.read("/dev/zero", upTo: 3) { $0 } }
        await #expect(throws: FileError.system(code: ENOENT)) {
            _ = try await reader.read("/etc/gifbot-none", upTo: 3) { $0 }
        }
        // Listed with no bytes, and each read fails: never a shorter file.
        await #expect(throws: FileError.system(code: EIO)) {
            _ = try await reader.read("/proc/self/mem", upTo: 3) { $0 }
        }
        #expect(await (try? reader.read("hostname", below: "/etc", upTo: 1 << 20) { !$0.isEmpty }) == true)
        await #expect(throws: FileError.system(code: ENOENT)) {
            _ = try await reader.read("../etc/hostname", below: "/usr", upTo: 1 << 20) { $0 }
        }
    }

    @Test("Two at once, others in line; one GIF never beside itself")
    func line() async {
        let clock = ManualClock()
        let line = MediaLine(clock: clock)
        let end = clock.now + .seconds(30)
        #expect(await line.enter("a", bytes: 1000, by: end))
        #expect(await line.enter("b", bytes: 1000, by: end))
        var entered: [String] = []
        for id in ["c", "a"] {
            Loop.start { if await line.enter(id, bytes: 1000, by: end) { entered.append(id) } }
        }
        for _ in 0..<20 { await Task.yield() }
        #expect(entered.isEmpty)
        line.leave("b")
        for _ in 0..<20 { await Task.yield() }
        #expect(entered == ["c"])
        line.leave("c")
        for _ in 0..<20 { await Task.yield() }
        #expect(entered == ["c"])
        line.leave("a")
        for _ in 0..<20 { await Task.yield() }
        #expect(entered == ["c", "a"])
        // A file that is larger than all together may be goes alone; patience ends.
        var came: Bool?
        Loop.start { came = await line.enter("huge", bytes: MediaLine.bytes + 1, by: end) }
        for _ in 0..<20 { await Task.yield() }
        #expect(came == nil)
        clock.advance(by: .seconds(31))
        for _ in 0..<20 { await Task.yield() }
        #expect(came == false)
    }
}
