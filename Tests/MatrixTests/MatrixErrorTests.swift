import HTTP
import Testing

@testable import Matrix

@Suite struct MatrixErrorTests {
    private func error(_ status: Int, _ body: String, retryAfter: String? = nil) -> MatrixError {
        MatrixError(json(body, status: status, headers: retryAfter.map { [HTTPHeader("retry-after", $0)] } ?? []))
    }

    @Test(
        "BUG-16: the header first, then retry_after_ms, else the caller's own wait",
        arguments: [
            (#"{"errcode":"M_LIMIT_EXCEEDED","error":"?","retry_after_ms":2500}"#, nil, Duration.milliseconds(2500)),
            (#"{"errcode":"M_LIMIT_EXCEEDED","error":"?","retry_after_ms":2500}"#, "3", .seconds(3)),
            (#"{"errcode":"M_LIMIT_EXCEEDED","error":"?"}"#, "3", .seconds(3)),
            (#"{"errcode":"M_LIMIT_EXCEEDED","error":"?"}"#, nil, nil),
            (#"{"errcode":"M_LIMIT_EXCEEDED","error":"?","retry_after_ms":-1}"#, "Fri, 31 Dec 1999 23:59:59 GMT", nil),
            (
                #"{"errcode":"M_LIMIT_EXCEEDED","error":"?","retry_after_ms":9223372036854775807}"#, nil,
                .seconds(86_400)
            ),
            ("<html>slow down</html>", "7", .seconds(7)),
        ])
    func waits(body: String, header: String?, wait: Duration?) {
        let error = error(429, body, retryAfter: header)
        #expect(error.retry == .after(wait))
    }

    @Test("What is tried again, and what isn't")
    func classes() {
        #expect(error(403, #"{"errcode":"M_FORBIDDEN","error":"no"}"#).retry == .never)
        #expect(error(413, #"{"errcode":"M_TOO_LARGE","error":"no"}"#).retry == .never)
        #expect(error(500, #"{"errcode":"M_UNKNOWN","error":"oh"}"#).retry == .after(nil))
        #expect(error(502, "<html>").retry == .after(nil))
        #expect(MatrixError.transport(.timedOut(host: "x")).retry == .after(nil))
        #expect(MatrixError.transport(.redirectRefused(host: "x")).retry == .never)
    }

    @Test("BUG-17: dead tokens and shut accounts")
    func dead() {
        let soft = error(401, #"{"errcode":"M_UNKNOWN_TOKEN","error":"gone","soft_logout":true}"#)
        #expect(soft.isTokenRefused && soft.isSoftLogout)
        let hard = error(401, #"{"errcode":"M_UNKNOWN_TOKEN","error":"gone"}"#)
        #expect(hard.isTokenRefused && !hard.isSoftLogout)
        #expect(error(403, #"{"errcode":"M_USER_SUSPENDED","error":"x"}"#).isAccountShut)
        #expect(error(401, #"{"errcode":"M_USER_LOCKED","error":"x","soft_logout":true}"#).isAccountShut)
        #expect(!error(401, "<html>").isTokenRefused)
    }

    @Test(
        "BUG-15: how servers refuse a position",
        arguments: [
            (400, "M_UNKNOWN", true), (400, "M_INVALID_PARAM", true), (400, "M_BAD_JSON", false),
            (500, "M_UNKNOWN", false),
        ])
    func position(status: Int, code: String, isRefused: Bool) {
        #expect(error(status, "{\"errcode\":\"\(code)\",\"error\":\"?\"}").isPositionRefused == isRefused)
    }

    @Test("BUG-17: bodies are cut short, and stay on one line")
    func short() {
        let text = error(502, String(repeating: "<p>line\r\n", count: 1500)).text
        #expect(text.utf8.count < 160 && !text.contains("\n") && !text.contains("\r"))
        let long = error(400, "{\"errcode\":\"M_X\",\"error\":\"\(String(repeating: "y", count: 9000))\"}").text
        #expect(long.utf8.count < 240)
    }

    @Test func replies() throws {
        #expect(try Replies.versions(json(#"{"versions":["r0.6.1","v1.1"]}"#)).get() == ["r0.6.1", "v1.1"])
        #expect(try Replies.whoAmI(json(#"{"user_id":"@a:b"}"#)).get() == Identity(userID: "@a:b", deviceID: nil))
        #expect(try Replies.displayName(json("{}")).get() == nil)
        #expect(try Replies.displayName(json(#"{"displayname":"GIF Bot"}"#)).get() == "GIF Bot")
        #expect(try Replies.joinedCount(json(#"{"joined":{"@a:b":{},"@c:d":{"x":[1]}}}"#)).get() == 2)
        #expect(throws: MatrixError.self) { try Replies.joinedCount(json(#"{"joined":[]}"#)).get() }
        #expect(throws: MatrixError.self) { try Replies.room(json("{}")).get() }
        let login = try Replies.logIn(json(#"{"user_id":"@a:b","device_id":"D","access_token":"SECRET"}"#)).get()
        #expect(login.token.accessToken == "SECRET" && login.token.lifetime == nil && !"\(login)".contains("SECRET"))
    }
}
