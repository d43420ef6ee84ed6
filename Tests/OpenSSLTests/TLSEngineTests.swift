import OpenSSL
import TestSupport
import Testing

@Suite("TLS engine")
struct TLSEngineTests {
    private let certificates = TestCertificates.shared
    private var trusting: TLSSettings { TLSSettings(caFile: certificates.authority) }

    private func pin(of identity: TestCertificates.Identity) throws -> Fingerprint {
        let pair = try TLSPair(TLSSettings(verifies: false), server: identity)
        pair.exchange()
        return try #require(pair.client.peerFingerprint)
    }

    @Test("a good certificate opens both sides, whole and in pieces", arguments: [Int.max, 1, 2, 5, 100])
    func good(size: Int) throws {
        let pair = try TLSPair(trusting)
        #expect(pair.client.state == .handshaking)
        pair.exchange(size: size)
        #expect(pair.client.state == .open)
        #expect(pair.server.state == .open)
        #expect(pair.client.version == "TLSv1.3")
        pair.client.send("hello")
        pair.server.send("welcome")
        let told = pair.exchange(size: size)
        #expect(String(decoding: told.toServer, as: UTF8.self) == "hello")
        #expect(String(decoding: told.toClient, as: UTF8.self) == "welcome")
    }

    @Test("a megabyte arrives as it was sent", arguments: [1000, 65536])
    func much(size: Int) throws {
        let pair = try TLSPair(trusting)
        pair.exchange()
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        bytes.withUnsafeBytes { pair.server.send($0) }
        #expect(pair.exchange(size: size).toClient == bytes)
    }

    @Test(
        "X1: names and addresses that the certificate is for",
        arguments: ["localhost", "irc.example.test.", "127.0.0.1", "a.chat.example.test"])
    func hosts(host: String) throws {
        let pair = try TLSPair(trusting, host: host)
        pair.exchange()
        #expect(pair.client.state == .open)
    }

    @Test(
        "X1, BUG-33: another name is refused and both names are told",
        arguments: ["example.test", "127.0.0.2", "::1", "a.b.chat.example.test"])
    func wrongHost(host: String) throws {
        let pair = try TLSPair(trusting, host: host)
        pair.exchange()
        #expect(
            pair.client.error
                == TLSError(
                    host: host,
                    reason: .wrongHost(
                        names: ["localhost", "irc.example.test", "*.chat.example.test", "127.0.0.1"])))
        #expect(pair.client.error?.description.contains(host) == true)
    }

    @Test("X2, BUG-33: every kind of bad certificate is refused, with host, reason and dates")
    func badCertificates() throws {
        let own = try pin(of: certificates.selfSigned)
        let table: [(TestCertificates.Identity, TLSSettings, TLSError.Reason)] = [
            (certificates.expired, trusting, .expired(notAfter: "2021-02-03 04:05:06")),
            (certificates.future, trusting, .notYetValid(notBefore: "2090-01-02 03:04:05")),
            (certificates.wrongHost, trusting, .wrongHost(names: ["other.example.test"])),
            (certificates.selfSigned, trusting, .selfSigned(fingerprint: own.description)),
            (certificates.good, TLSSettings(), .unknownIssuer("Test Authority")),
        ]
        for (identity, settings, reason) in table {
            let pair = try TLSPair(settings, server: identity)
            pair.exchange()
            #expect(pair.client.error == TLSError(host: "irc.example.test", reason: reason))
            #expect(!pair.client.hasOpened)
            #expect(pair.client.error?.isLasting == true)
            pair.client.send("PASS secret")
            #expect(pair.client.output.count == 0)
        }
        let text = TLSError(host: "h", reason: .expired(notAfter: "2021-02-03 04:05:06")).description
        #expect(text == "h: the certificate ran out on 2021-02-03 04:05:06 UTC")
    }

    @Test("BUG-33: a good certificate that is replaced by an expired one is noticed at the next connection")
    func replaced() throws {
        let first = try TLSPair(trusting)
        first.exchange()
        #expect(first.client.state == .open)
        let second = try TLSPair(trusting, server: certificates.expired)
        second.exchange()
        #expect(second.client.error?.reason == .expired(notAfter: "2021-02-03 04:05:06"))
    }

    @Test("without verification anything opens")
    func unverified() throws {
        for identity in [certificates.expired, certificates.selfSigned, certificates.wrongHost] {
            let pair = try TLSPair(TLSSettings(verifies: false), server: identity)
            pair.exchange()
            #expect(pair.client.state == .open)
        }
    }

    @Test("X3: a right pin, one of several, stands in for every other check")
    func rightPin() throws {
        for identity in [certificates.expired, certificates.selfSigned, certificates.wrongHost, certificates.future] {
            let pins = [try pin(of: certificates.good), try pin(of: identity)]
            let pair = try TLSPair(TLSSettings(pins: pins), server: identity)
            pair.exchange()
            #expect(pair.client.state == .open)
        }
    }

    @Test("X3: a wrong pin fails after the handshake, before anything of ours is sent, even for a trusted certificate")
    func wrongPin() throws {
        let pins = [try pin(of: certificates.expired)]
        let settings = TLSSettings(
            caFile: certificates.authority, pins: pins, clientCertificate: certificates.client)
        let pair = try TLSPair(settings, asks: true)
        pair.exchange()
        let shown = try pin(of: certificates.good).description
        #expect(pair.client.error?.reason == .pinMismatch(fingerprint: shown))
        #expect(pair.client.output.count == 0)
        #expect(pair.server.state == .handshaking)
        #expect(pair.server.peerFingerprint == nil)
    }

    @Test("X3, irctest testUntrustedCertificate: without a certificate of ours the handshake is ended in good order")
    func wrongPinAlone() throws {
        let pair = try TLSPair(TLSSettings(pins: [try pin(of: certificates.expired)]))
        pair.exchange()
        guard case .pinMismatch = pair.client.error?.reason else {
            Issue.record("not noticed")
            return
        }
        #expect(pair.server.state == .open)
        pair.client.send("PASS secret")
        #expect(pair.client.output.count == 0)
    }

    @Test("X4: a client certificate is shown")
    func clientCertificate() throws {
        var settings = trusting
        settings.clientCertificate = certificates.client
        let pair = try TLSPair(settings, asks: true)
        pair.exchange()
        #expect(pair.server.state == .open)
        #expect(pair.server.peerFingerprint != nil)
        let without = try TLSPair(trusting, asks: true)
        without.exchange()
        #expect(without.server.peerFingerprint == nil)
    }

    @Test("files that are missing or no certificates are named", arguments: ["/nowhere/ca.pem", "/dev/null"])
    func badFiles(path: String) {
        let ca = #expect(throws: TLSError.self) { try TLSEngine(TLSSettings(caFile: path), host: "h") }
        guard case .badCAFile(path, _) = ca?.reason else {
            Issue.record("not a bad CA file: \(String(describing: ca))")
            return
        }
        let client = #expect(throws: TLSError.self) {
            try TLSEngine(TLSSettings(clientCertificate: path), host: "h")
        }
        guard case .badClientCertificate(path, _) = client?.reason else {
            Issue.record("not a bad client certificate: \(String(describing: client))")
            return
        }
    }

    @Test(
        "BUG-33: a plain-text server is told as such", arguments: [":irc NOTICE * :*** hi\r\n", "E", "SSH-2.0-x\r\n"])
    func plainText(greeting: String) throws {
        let client = try TLSEngine(trusting, host: "h")
        client.start()
        #expect(client.take(Array(greeting.utf8)).isEmpty)
        #expect(client.error == TLSError(host: "h", reason: .notTLS))
    }

    @Test("rubbish after the first byte is a protocol failure, not a crash")
    func rubbish() throws {
        for seed in 0..<200 {
            let client = try TLSEngine(trusting, host: "h")
            client.start()
            let bytes = [22, 3, 3] + (0..<400).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 7919 >> 3) }
            _ = client.take(bytes)
            #expect(client.state != .open)
        }
    }

    @Test("a changed record ends the session")
    func tampered() throws {
        let pair = try TLSPair(trusting)
        pair.exchange()
        pair.server.send("hello")
        var bytes = pair.server.output.take()
        bytes[bytes.count - 1] ^= 1
        #expect(pair.client.take(bytes).isEmpty)
        guard case .protocolFailure = pair.client.error?.reason else {
            Issue.record("not noticed")
            return
        }
    }

    @Test("close-notify, after the data that came before it")
    func closeNotify() throws {
        let pair = try TLSPair(trusting)
        pair.exchange()
        pair.server.send("bye")
        pair.server.close()
        #expect(String(decoding: pair.exchange().toClient, as: UTF8.self) == "bye")
        #expect(pair.client.state == .closedByPeer)
        #expect(pair.client.endOfInput() == nil)
        pair.client.close()
        #expect(pair.client.state == .closed)
    }

    @Test("X6: the end during the handshake is an error, a missing close-notify is none")
    func endOfInput() throws {
        let pair = try TLSPair(trusting)
        pair.client.start()
        #expect(pair.client.endOfInput()?.reason == .closedDuringHandshake)
        let open = try TLSPair(trusting)
        open.exchange()
        #expect(open.client.endOfInput() == nil)
    }
}
