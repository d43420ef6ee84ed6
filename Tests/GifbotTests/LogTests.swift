import Base
import Glibc
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

    @Test("Hidden characters and those of the higher planes are written as numbers, in JSON as pairs")
    func hidden() {
        let value = "a\u{200E}b\u{AD}c\u{E0067}d"
        #expect(line(("name", value)).text == #"T warning irc: no connection name=a\u{200e}b\u{ad}c\u{e0067}d"#)
        #expect(line(("name", value)).json.hasSuffix(#""name":"a\u200eb\u00adc\udb40\udc67d"}"#))
    }

    @Test(
        "A long value is cut by bytes, between two scalars",
        arguments: ["x", "é", "猫", "🙂", "a" + String(repeating: "\u{301}", count: 700)])
    func cut(piece: String) {
        let text = line(("body", String(repeating: piece, count: 2_000))).text
        #expect(text.utf8.count < 450 && text.utf8.count > 380)
        #expect(text.hasSuffix("…") && !text.contains("\u{FFFD}"))
    }

    @Test("A secret that stands across the cut is masked whole")
    func maskedBeforeTheCut() throws {
        let pipe = try Pipe()
        let log = StandardErrorLog(output: ErrorOutput(descriptor: pipe.writing))
        log.addSecret(Secret("0123456789abcdefghij"))
        for length in 380...400 {
            Log("a", to: log).error(
                "failed", ["body": String(repeating: "x", count: length) + "0123456789abcdefghij" + "tail"])
        }
        log.finish(within: .seconds(10))
        #expect(!pipe.readAll().contains("0123"))
    }

    @Test("BUG-32: no form of a secret reaches a line, whatever the caller wrote")
    func masked() throws {
        let pipe = try Pipe()
        let log = StandardErrorLog(output: ErrorOutput(descriptor: pipe.writing))
        log.addSecret(Secret("K3Y%2Fsecret/1"))
        log.addSecret(Secret("pass\"word"))
        log.addSecret(Secret("K3Y%2Fsecret/1+longer"))
        for value in [
            "https://x/?api_key=K3Y%2Fsecret/1&q=a", "K3Y%252Fsecret%2F1", "k3y%252fsecret%2f1", "pass\"word",
            "K3Y%2Fsecret/1+longer",
        ] {
            Log("a", to: log).error("failed", ["url": value])
        }
        let all = pipe.readAll()
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
        let log = StandardErrorLog()
        log.configure(level: .warning, format: .text)
        #expect(!log.isEnabled(.info))
        #expect(log.isEnabled(.error))
    }

    @Test("Nobody reads standard error: no caller waits, what has no room is dropped, counted and told")
    func unread() throws {
        let pipe = try Pipe()
        let output = ErrorOutput(descriptor: pipe.writing)
        let log = StandardErrorLog(output: output)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 999) + [0x0A]
        for _ in 0..<1000 { output.write(line) }
        let reader = pipe.reading()
        output.finish(within: .seconds(10))
        Log("a", to: log).info("after")
        log.finish(within: .seconds(10))
        pipe.closeWriting()
        let lines = reader.lines()
        let kept = lines.count { $0.hasPrefix("xxx") }
        #expect(lines.allSatisfy { !$0.hasPrefix("xxx") || $0.utf8.count == 999 })
        #expect((262...400).contains(kept), "\(kept) lines kept")
        #expect(lines.suffix(2).first?.hasSuffix("standard error was not read lines=\(1000 - kept)") == true)
        #expect(lines.last?.hasSuffix("a: after") == true)
    }

    @Test("Lines that waited for the reader are written before the program ends, in order")
    func finished() throws {
        let pipe = try Pipe()
        let output = ErrorOutput(descriptor: pipe.writing)
        let numbers = (0..<20_000).map { String($0) }
        for number in numbers { output.write(Array((number + "\n").utf8)) }
        let reader = pipe.reading()
        output.finish(within: .seconds(10))
        pipe.closeWriting()
        #expect(reader.lines() == numbers)
    }

    @Test("A reader that has gone holds nobody")
    func gone() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = try Pipe()
        let output = ErrorOutput(descriptor: pipe.writing)
        pipe.closeReading()
        for _ in 0..<1000 { output.write([UInt8](repeating: 0x0A, count: 1000)) }
        output.finish(within: .seconds(10))
        #expect(output.takeLost() == 0)
        pipe.closeWriting()
    }
}
