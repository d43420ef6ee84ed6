@testable import Base
import Synchronization
import Testing

@testable import gifbot

struct LogTests {
    private func line(_ fields: (String, String)..., suppressed: Int = 0) -> LogLine {
        let named = fields.map { (name: $0.0, value: $0.1) }
        let event = LogEvent(level: .warning, area: "irc", message: "no connection", fields: named)
        return LogLine(event: event, suppressed: suppressed, stamp: "T")
    }

    @Test("Values from outside can't break the line or turn its direction")
    func escapes() {
        let hostile = "a\r\nb\u{7}\u{202E}\"\\"
        let text = line(("reason", hostile), ("host", "x"), ("none", "")).text
        #expect(text == #"T warning irc: no connection reason=a\u{d}\u{a}b\u{7}\u{202e}\"\\ host=x none="""#)
        let json = line(("reason", hostile)).json
        #expect(
            json
                == #"{"time":"T","level":"warning","area":"irc","message":"no connection","reason":"a\u000d\u000ab\u0007\u202e\"\\"}"#
        )
        #expect(line(suppressed: 3).text.hasSuffix("repeated=3"))
    }

    @Test("A long value is cut")
    func cut() {
        #expect(line(("body", String(repeating: "x", count: 12_000))).text.utf8.count < 300)
    }

    @Test("BUG-32: no form of a secret reaches a line, whatever the caller wrote")
    func masked() {
        let lines = Mutex<[String]>([])
        let log = StandardErrorLog { bytes in lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
        log.addSecret(Secret("K3Y%2Fsecret/1"))
        log.addSecret(Secret("pass\"word"))
        log.addSecret(Secret("K3Y%2Fsecret/1+longer"))
        for value in [
            "https://x/?api_key=K3Y%2Fsecret/1&q=a", "K3Y%252Fsecret%2F1", "k3y%252fsecret%2f1", "pass\"word",
            "K3Y%2Fsecret/1+longer",
        ] {
            Log("a", to: log).error("failed", ["url": value])
        }
        let all = lines.withLock { $0.joined() }
        #expect(!all.lowercased().contains("secret"))
        #expect(!all.contains("word"))
        #expect(!all.contains("longer"))
        #expect(all.contains("api_key=***&q=a"))
    }

    @Test("Of secrets that are renewed for years the latest are masked, and the list stays short")
    func manySecrets() {
        var mask = SecretMask()
        for number in 0..<2000 { mask.add(Secret("token-number-\(number)-end")) }
        #expect(mask.applied(to: Array("a token-number-1999-end b".utf8)) == Array("a *** b".utf8))
        #expect(mask.applied(to: Array("token-number-1-end".utf8)) == Array("token-number-1-end".utf8))
    }

    @Test("A message that comes again and again is written a few times a minute, then counted")
    func repeats() {
        var limit = RepeatLimit()
        let start = ContinuousClock.now
        let admitted = (0..<100).filter { _ in limit.admit("same", at: start) != nil }
        #expect(admitted.count == 20)
        #expect(limit.admit("other", at: start) == 0)
        #expect(limit.admit("same", at: start.advanced(by: .seconds(61))) == 80)
        #expect(limit.admit("same", at: start.advanced(by: .seconds(62))) == 0)
    }

    @Test("Levels below the one that is set are not written")
    func levels() {
        let log = StandardErrorLog { _ in }
        log.configure(level: .warning, format: .text)
        #expect(!log.isEnabled(.info))
        #expect(log.isEnabled(.error))
    }
}
