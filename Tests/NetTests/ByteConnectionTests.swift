import Base
import Dispatch
import Net
import OpenSSL
import Synchronization
import TestSupport
import Testing

@Suite("Byte connection", .timeLimit(.minutes(5)))
struct ByteConnectionTests {
    private let certificates = TestCertificates.shared
    private let recorder = ConnectionRecorder()

    @Loop private func connect(to server: LoopbackServer, _ settings: TLSSettings? = nil, host: String = "localhost")
        throws
        -> ByteConnection
    {
        let tls = try settings.map { try TLSEngine($0, host: host) }
        return try ByteConnection(
            descriptor: LoopbackServer.connect(to: server.port), tls: tls, loop: TestLoop.shared, handler: recorder)
    }

    private var trusting: TLSSettings { TLSSettings(caFile: certificates.authority) }

    private func echoServer(tls: TestCertificates.Identity? = nil) -> LoopbackServer {
        LoopbackServer { peer in
            if let tls {
                try? TLSPeer(peer, tls).echo()
            } else {
                while case let bytes = peer.read(), !bytes.isEmpty { peer.write(bytes) }
            }
        }
    }

    @Test("plain: what is sent comes back, also what was sent before it opened")
    @Loop func plainEcho() async throws {
        let server = echoServer()
        let connection = try connect(to: server)
        connection.send(Array("early ".utf8))
        #expect(connection.unsentBytes == 6)
        await recorder.wait { $0.opened == 1 }
        connection.send(Array("late".utf8))
        await recorder.wait { $0.text == "early late" }
        #expect(connection.unsentBytes == 0)
        connection.close()
        connection.close()
        #expect(recorder.ends.isEmpty)
        server.stop()
    }

    @Test("TLS: what is sent comes back, also what was sent before it opened")
    @Loop func tlsEcho() async throws {
        let server = echoServer(tls: certificates.good)
        let connection = try connect(to: server, trusting)
        connection.send(Array("early ".utf8))
        recorder.onOpened = { $0.send(Array("late".utf8)) }
        await recorder.wait { $0.text == "early late" }
        #expect(recorder.opened == 1)
        connection.close()
        server.stop()
    }

    @Test("a good deal in both directions arrives whole", arguments: [false, true])
    @Loop func much(overTLS: Bool) async throws {
        let server = echoServer(tls: overTLS ? certificates.good : nil)
        let connection = try connect(to: server, overTLS ? trusting : nil)
        let piece = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 2) }
        for round in 1...40 {
            connection.send(piece)
            await recorder.wait { $0.bytes.count == round * piece.count }
        }
        #expect(recorder.bytes == Array(repeating: piece, count: 40).flatMap(\.self))
        connection.close()
        server.stop()
    }

    @Test("the peer's close is told once, after its last bytes", arguments: [false, true])
    @Loop func closedByPeer(overTLS: Bool) async throws {
        let identity = certificates.good
        let server = LoopbackServer { peer in
            if overTLS, let tls = try? TLSPeer(peer, identity) {
                _ = tls.read()
                tls.write(Array("ERROR :bye\r\n".utf8))
                tls.sayGoodbye()
            } else {
                _ = peer.read()
                peer.write("ERROR :bye\r\n")
            }
        }
        let connection = try connect(to: server, overTLS ? trusting : nil)
        connection.send(Array("QUIT\r\n".utf8))
        await recorder.wait { !$0.ends.isEmpty }
        #expect(recorder.text == "ERROR :bye\r\n")
        #expect(recorder.ends == [.byPeer])
        connection.send([1])
        connection.close()
        server.stop()
    }

    @Test("BUG-33: a bad certificate ends the connection with its reason, and nothing of ours is sent")
    @Loop func badCertificate() async throws {
        let expired = certificates.expired
        let seen = Mutex<[UInt8]>([])
        let server = LoopbackServer { peer in
            guard let tls = try? TLSPeer(peer, expired) else { return }
            let bytes = tls.read()
            seen.withLock { $0 += bytes }
        }
        let connection = try connect(to: server, trusting)
        connection.send(Array("PASS secret".utf8))
        await recorder.wait { !$0.ends.isEmpty }
        let error = TLSError(host: "localhost", reason: .expired(notAfter: "2021-02-03 04:05:06"))
        #expect(recorder.ends == [.tlsFailed(error)])
        #expect(recorder.opened == 0)
        #expect(seen.withLock { $0.isEmpty })
        server.stop()
    }

    @Test("BUG-33: a plain-text server on a TLS port gets no password")
    @Loop func plainTextServer() async throws {
        let seen = Mutex("")
        let server = LoopbackServer { peer in
            peer.write(":irc.example.test NOTICE AUTH :*** Looking up your hostname\r\n")
            while case let bytes = peer.read(), !bytes.isEmpty {
                seen.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
        }
        let connection = try connect(to: server, trusting)
        connection.send(Array("PASS secret".utf8))
        await recorder.wait { !$0.ends.isEmpty }
        #expect(recorder.ends == [.tlsFailed(TLSError(host: "localhost", reason: .notTLS))])
        #expect(!seen.withLock { $0.contains("secret") })
        server.stop()
    }

    @Test("the end during the handshake is told as such")
    @Loop func endDuringHandshake() async throws {
        let server = LoopbackServer { peer in _ = peer.read() }
        _ = try connect(to: server, trusting)
        await recorder.wait { !$0.ends.isEmpty }
        #expect(recorder.ends == [.tlsFailed(TLSError(host: "localhost", reason: .closedDuringHandshake))])
        server.stop()
    }

    @Test("a reset is a failure with the system's words")
    @Loop func reset() async throws {
        let server = LoopbackServer { peer in
            _ = peer.read()
            peer.reset()
        }
        let connection = try connect(to: server)
        connection.send([1])
        await recorder.wait { !$0.ends.isEmpty }
        #expect(recorder.ends == [.failed("Connection reset by peer")])
        server.stop()
    }

    @Test(
        "a peer that stops reading ends the connection at the bound, told after send has returned",
        arguments: [false, true])
    @Loop func unread(overTLS: Bool) async throws {
        let gate = Gate()
        let identity = certificates.good
        let server = LoopbackServer { peer in
            if overTLS, let tls = try? TLSPeer(peer, identity) {
                _ = tls.read()
                gate.wait()
            } else {
                gate.wait()
            }
        }
        let connection = try connect(to: server, overTLS ? trusting : nil)
        await recorder.wait { $0.opened == 1 }
        let piece = [UInt8](repeating: 7, count: 16 << 10)
        var most = 0
        for _ in 0..<4096 {
            connection.send(piece)
            most = max(most, connection.unsentBytes)
            #expect(recorder.ends.isEmpty)
        }
        #expect(most > ByteConnection.unsentLimit / 2)
        #expect(most <= ByteConnection.unsentLimit)
        await recorder.wait { !$0.ends.isEmpty }
        #expect(recorder.ends == [.failed("the other side stopped reading")])
        gate.open()
        server.stop()
    }

    @Test("what a peer said before it went is read, even when sending has failed already")
    @Loop func lastWords() async throws {
        let server = LoopbackServer { peer in
            peer.write("ERROR :throttled\r\n")
            peer.close()
        }
        let connection = try connect(to: server)
        // Never stops sending, so that a send meets the closed connection.
        recorder.onReceived = { connection in for _ in 0..<10 { connection.send([1]) } }
        recorder.onOpened = recorder.onReceived
        await recorder.wait { !$0.ends.isEmpty }
        #expect(recorder.text == "ERROR :throttled\r\n")
        #expect(recorder.ends.count == 1)
        _ = connection
        server.stop()
    }

    @Test("close from inside opened and received is safe, and nothing is told afterwards", arguments: [false, true])
    @Loop func closeInside(whenOpened: Bool) async throws {
        let server = LoopbackServer { peer in
            peer.write("one\r\ntwo\r\n")
            _ = peer.read()
        }
        let connection = try connect(to: server)
        if whenOpened { recorder.onOpened = { $0.close() } } else { recorder.onReceived = { $0.close() } }
        await recorder.wait { whenOpened ? $0.opened == 1 : $0.pieces == 1 }
        await nextRound()
        #expect(recorder.ends.isEmpty)
        #expect(recorder.pieces == (whenOpened ? 0 : 1))
        _ = connection
        server.stop()
    }

    @Test("close after a failed send, before it is told, keeps it untold")
    @Loop func closeBeforeTold() async throws {
        let gate = Gate()
        let server = LoopbackServer { _ in gate.wait() }
        let connection = try connect(to: server)
        await recorder.wait { $0.opened == 1 }
        for _ in 0..<4096 { connection.send([UInt8](repeating: 7, count: 16 << 10)) }
        connection.close()
        await nextRound()
        #expect(recorder.ends.isEmpty)
        gate.open()
        server.stop()
    }

    @Test("BUG-31: five hundred connections that fail leave no descriptor behind")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            // What is opened once: the loop, and whatever the libraries keep.
            _ = TestLoop.shared
            _ = try TLSEngine(TLSSettings(caFile: TestCertificates.shared.authority), host: "h")
            _ = randomBytes(1)
            let before = openDescriptors()
            await failingRounds(500)
            let after = await openDescriptors(atMost: before)
            guard before == after else { fatalError("before \(before), after \(after)") }
        }
    }
}

/// Connections that each end another way.
@Loop private func failingRounds(_ rounds: Int) async {
    let expired = TestCertificates.shared.expired
    let closing = LoopbackServer { _ in }
    let refusing = LoopbackServer { peer in _ = try? TLSPeer(peer, expired).read() }
    let settings = TLSSettings(caFile: TestCertificates.shared.authority)
    for round in 0..<rounds {
        let recorder = ConnectionRecorder()
        let usesTLS = round % 2 == 0
        let descriptor = LoopbackServer.connect(to: usesTLS ? refusing.port : closing.port)
        let connection = try? ByteConnection(
            descriptor: descriptor, tls: usesTLS ? try? TLSEngine(settings, host: "localhost") : nil,
            loop: TestLoop.shared, handler: recorder)
        if round % 5 == 4 { connection?.close() } else { await recorder.wait { !$0.ends.isEmpty } }
    }
    closing.stop()
    refusing.stop()
}

/// What was put off to the next round has been done afterwards.
@Loop private func nextRound() async {
    await withCheckedContinuation { continuation in
        TestLoop.shared.soon { continuation.resume() }
    }
}

/// Holds a server's thread until the test is done with it.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func wait() { _ = semaphore.wait(timeout: .now() + 60) }
}
