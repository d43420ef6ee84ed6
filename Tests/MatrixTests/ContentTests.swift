import HTTP
import JSON
import Testing

@testable import Matrix

@Suite struct ContentTests {
    @Test(
        "A file's name for people who save it",
        arguments: [
            ("Party Parrot!", "image/gif", "party-parrot.gif"), ("", "image/webp", "image.webp"),
            ("  ../../etc/passwd  ", "image/gif", "etc-passwd.gif"), ("Grüße & Küsse", "video/mp4", "grüße-küsse.mp4"),
            ("🐱", "image/png", "image.png"), ("a\r\nb\u{0}c", "image/gif", "a-b-c.gif"),
        ])
    func fileNames(title: String, type: String, name: String) {
        #expect(MediaContent.fileName(for: title, mediaType: type) == name)
    }

    @Test func longNamesAreCut() {
        let name = MediaContent.fileName(for: String(repeating: "word ", count: 100), mediaType: "image/gif")
        #expect(name.count <= 64 && name.hasSuffix(".gif") && !name.contains("-."))
    }

    @Test("An edit's outer text is for clients that know none; links in it stay links")
    func edit() throws {
        let content = ReplyContent(
            text: "a <b> https://x.test/?a&b", url: "https://x.test/?a&b", answers: nil, thread: nil)
        let json = try JSONValue(parsing: content.json(replacing: "$a"))
        let html = "a &lt;b&gt; <a href=\"https://x.test/?a&amp;b\">https://x.test/?a&amp;b</a>"
        #expect(json["body"] == "* a <b> https://x.test/?a&b" && json["formatted_body"] == .string("* " + html))
        #expect(
            json["m.new_content"]?["formatted_body"] == .string(html) && json["m.new_content"]?["m.mentions"] == [:])
        #expect(json["m.relates_to"] == ["rel_type": "m.replace", "event_id": "$a"])
        #expect(try JSONValue(parsing: content.json())["m.relates_to"] == nil)
    }

    @Test func media() throws {
        var content = ReplyContent(text: "x", url: nil, answers: "$a", thread: "$root")
        content.media = MediaContent(
            uri: "mxc://a/b", mediaType: "image/webp", width: 3, height: 2, byteCount: 1, isAnimated: false,
            fileName: "x.webp")
        let json = try JSONValue(parsing: content.json())
        #expect(json["msgtype"] == "m.image" && json["info"]?["is_animated"] == false && json["format"] == nil)
        #expect(json["org.matrix.msc1767.alt_text"] == nil && json["m.relates_to"]?["rel_type"] == "m.thread")
    }

    @Test func requests() {
        let server = Homeserver(baseURL: "https://a.test/", accessToken: "T")
        let upload = server.upload([1, 2], mediaType: "image/gif", fileName: "a b&c.gif", timeout: .seconds(9))
        #expect(upload.url == "https://a.test/_matrix/media/v3/upload?filename=a%20b%26c.gif" && upload.body == [1, 2])
        #expect(upload.timeout == .seconds(9) && upload.headers.contains(HTTPHeader("Authorization", "Bearer T")))
        #expect(server.oldMediaSettings().url == "https://a.test/_matrix/media/v3/config")
        #expect(server.mediaSettings().url == "https://a.test/_matrix/client/v1/media/config")
        var event = OutgoingEvent(room: "!a", type: "m.room.redaction", transactionID: "t/1", content: [], answers: "$")
        event.redacts = "$x/y"
        #expect(server.send(event).url == "https://a.test/_matrix/client/v3/rooms/%21a/redact/%24x%2Fy/t%2F1")
        #expect(server.typing(false, "@a:b", in: "!a", for: .zero).body == Array(#"{"typing":false}"#.utf8))
    }

    @Test func replies() {
        #expect(Replies.uploaded(json(#"{"content_uri": "mxc://a/b"}"#)) == .success("mxc://a/b"))
        for bad in [#"{"content_uri": "https://a/b"}"#, "{}", "<html>"] {
            guard case .failure = Replies.uploaded(json(bad)) else { return #expect(Bool(false)) }
        }
        #expect(Replies.uploadLimit(json(#"{"m.upload.size": 1000}"#)) == .success(1000))
        for none in ["{}", #"{"m.upload.size": 0}"#, #"{"m.upload.size": "x"}"#] {
            #expect(Replies.uploadLimit(json(none)) == .success(nil))
        }
    }

    @Test func errors() {
        #expect(MatrixError(json("<html>", status: 413)).isTooLarge)
        #expect(MatrixError(json(#"{"errcode": "M_TOO_LARGE"}"#, status: 400)).isTooLarge)
        #expect(!MatrixError(json(#"{"errcode": "M_BAD_JSON"}"#, status: 400)).isTooLarge)
        #expect(MatrixError(json("", status: 429)).isLimit && !MatrixError(json("", status: 500)).isLimit)
        #expect(MatrixError(json(#"{"errcode": "M_UNRECOGNIZED"}"#, status: 404)).isUnknownCall)
    }
}
