import Base
import Chat
import IRC
import IRCAdapter
import Net
import OpenSSL
import Synchronization
import TestSupport
import Testing

/// Connects to this machine's own server, whatever the name.
private final class LoopbackDialler: Dialler {
    func dial(_ target: DialTarget) async throws(DialError) -> Int32 {
        LoopbackServer.connect(to: target.port)
    }
}

/// Connects nowhere, and keeps what it was asked for.
@Loop private final class RefusingDialler: Dialler {
    private(set) var targets: [DialTarget] = []

    func dial(_ target: DialTarget) async throws(DialError) -> Int32 {
        targets.append(target)
        throw .proxyFailed(reason: "it does not accept us")
    }
}

/// Wakes a test when something was logged or said.
@Loop private final class Watch: ChatHandler {
    private(set) var changes: [ChatChange] = []
    private(set) var messages: [ChatMessage] = []
    private var waiters: [(isMet: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    func changed(_ change: ChatChange, from adapter: any ChatAdapter) { changes.append(change) }

    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {
        messages.append(message)
        let answer = Reply(kind: .answer, audience: .conversation, text: "Owl — https://x.test/1", url: nil)
        _ = adapter.send(answer, to: message)
        changed()
    }

    func changed() {
        let met = waiters.filter { $0.isMet() }
        waiters.removeAll { $0.isMet() }
        for waiter in met { waiter.continuation.resume() }
    }

    func wait(until isMet: @escaping () -> Bool) async {
        if isMet() { return }
        await withCheckedContinuation { waiters.append((isMet, $0)) }
    }
}

private final class WatchedLog: LogSink {
    private let texts = Mutex<[String]>([])
    private let watch: Watch

    init(_ watch: Watch) {
        self.watch = watch
    }

    var lines: [String] { texts.withLock { $0 } }

    func isEnabled(_ level: LogLevel) -> Bool { true }
    func addSecret(_ secret: Secret) {}
    func write(_ event: LogEvent) {
        texts.withLock { $0.append(event.message + event.fields.map { " \($0.name)=\($0.value)" }.joined()) }
        Loop.post { [watch] in watch.changed() }
    }
}

@Suite("IRC adapter over real sockets", .timeLimit(.minutes(1))) @Loop
struct NetTransportTests {
    private let watch = Watch()
    private let clock = ManualClock()

    private func adapter(_ server: LoopbackServer, _ sink: WatchedLog) -> IRCAdapter {
        var settings = Network.settings()
        settings.connection.password = Secret("sesame")
        settings.connection.endpoint.port = server.port
        settings.connection.endpoint.tls?.caFile = TestCertificates.shared.authority
        return IRCAdapter(
            settings: settings, people: IRCPeople(),
            transport: NetTransport(loop: TestLoop.shared, dialler: LoopbackDialler()), clock: clock,
            answered: AnsweredInMemory(), policies: MemoryPolicies(), log: Log("irc", to: sink), handler: watch,
            random: { 7 })
    }

    @Test("over TLS: registered, joined, asked and answered, twice")
    func talk() async {
        let server = LoopbackServer { peer in
            guard let tls = try? TLSPeer(peer, TestCertificates.shared.good) else { return }
            var heard = ""
            func expect(_ text: String, _ answer: String) {
                while !heard.contains(text) {
                    let bytes = tls.read()
                    if bytes.isEmpty { return }
                    heard += String(decoding: bytes, as: UTF8.self)
                }
                heard = ""
                tls.write(Array(answer.utf8))
            }
            expect("USER", ":irc.test CAP * LS :\r\n")
            expect("CAP END", ":irc.test 001 gifbot :hi\r\n:irc.test 376 gifbot :end\r\n")
            expect("JOIN", ":gifbot!~g@h JOIN #cats\r\n:bo!b@h PRIVMSG #cats :!gif owl\r\n")
            expect("PRIVMSG #cats :Owl — https://x.test/1", ":bo!b@h PRIVMSG #cats :!gif fox\r\n")
            expect("QUIT", "ERROR :bye\r\n")
        }
        let sink = WatchedLog(watch)
        let adapter = adapter(server, sink)
        adapter.start()
        await watch.wait { [watch] in watch.messages.count == 2 }
        #expect(watch.messages.map(\.text) == ["!gif owl", "!gif fox"])
        adapter.abandon()
        server.stop()
    }

    @Test("proxy and own address go to the dialler; what fails there is told without the proxy's password")
    func proxy() async {
        let dialler = RefusingDialler()
        let sink = WatchedLog(watch)
        var settings = Network.settings()
        settings.connection.endpoint.proxy = "socks5h://user:hush@127.0.0.1:9050"
        settings.connection.endpoint.bindAddress = "127.0.0.2"
        let adapter = IRCAdapter(
            settings: settings, people: IRCPeople(),
            transport: NetTransport(loop: TestLoop.shared, dialler: dialler), clock: clock,
            answered: AnsweredInMemory(), policies: MemoryPolicies(), log: Log("irc", to: sink), handler: watch,
            random: { 7 })
        adapter.start()
        await watch.wait { !sink.lines.isEmpty }
        let target = dialler.targets.first
        #expect(target?.host == "irc.example.test" && target?.port == 6697)
        #expect(target?.proxy == "socks5h://user:hush@127.0.0.1:9050")
        #expect(target?.bindAddress == "127.0.0.2")
        #expect(sink.lines.first?.contains("the proxy failed: it does not accept us") == true)
        #expect(!sink.lines.contains { $0.contains("hush") })
        adapter.abandon()
    }

    @Test(
        "X2, BUG-33: a bad certificate, or none, is told with its reason, and no password leaves",
        arguments: [
            ("expired", "2021-02-03 04:05:06"), ("future", "2090-01-02 03:04:05"),
            ("wrongHost", "other.example.test"), ("selfSigned", "self-signed"), ("plain", "does not speak TLS"),
        ])
    func certificates(kind: String, reason: String) async {
        let heard = Mutex<[UInt8]>([])
        let server = LoopbackServer { peer in
            let all = TestCertificates.shared
            let identities = [
                "expired": all.expired, "future": all.future, "wrongHost": all.wrongHost, "selfSigned": all.selfSigned,
            ]
            if let identity = identities[kind] {
                let bytes = (try? TLSPeer(peer, identity))?.read() ?? []
                heard.withLock { $0 += bytes }
            } else {
                peer.write(":irc.test NOTICE * :*** Looking up your hostname\r\n")
                let bytes = peer.read()
                heard.withLock { $0 += bytes }
            }
        }
        let sink = WatchedLog(watch)
        let adapter = adapter(server, sink)
        adapter.start()
        await watch.wait { !sink.lines.isEmpty }
        let line = sink.lines.first ?? ""
        #expect(line.contains("irc.example.test: ") && line.contains(reason), "\(line)")
        #expect(!String(decoding: heard.withLock { $0 }, as: UTF8.self).contains("sesame"))
        // The next try is minutes away, and of the same kind.
        #expect(clock.nextDue.map { clock.now.duration(to: $0) >= .minutes(5) } == true)
        adapter.abandon()
        server.stop()
    }
}
