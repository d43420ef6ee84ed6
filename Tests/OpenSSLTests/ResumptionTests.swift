import OpenSSL
import TestSupport
import Testing

@Suite("TLS sessions that are taken up again, and versions")
struct ResumptionTests {
    private let certificates = TestCertificates.shared
    private var trusting: TLSSettings { TLSSettings(caFile: certificates.authority) }

    private func server(
        _ identity: TestCertificates.Identity, asks: Bool = false, newest: TLSVersion = .tls13
    ) throws -> TLSServer {
        try TLSServer(
            certificate: identity.certificate, key: identity.key, asksForCertificate: asks, newest: newest)
    }

    /// One connection, with data both ways; whether it was a short one.
    private func connect(
        _ settings: TLSSettings, to server: TLSServer, place: String?
    ) throws -> (isResumed: Bool, pair: TLSPair) {
        let pair = TLSPair(
            client: try TLSEngine(settings, host: "irc.example.test", place: place), server: try server.engine())
        pair.exchange()
        pair.server.send("hello")
        pair.exchange()
        return (pair.client.isResumed, pair)
    }

    @Test("the next handshake with a place is short, on both versions", arguments: [TLSVersion.tls12, .tls13])
    func resumed(version: TLSVersion) throws {
        let server = try server(certificates.good, newest: version)
        let place = "resumed \(version)"
        #expect(try !connect(trusting, to: server, place: place).isResumed)
        // In TLS 1.2 a resumed session brings no new one, and one is used once.
        for _ in 0..<(version == .tls13 ? 3 : 1) {
            let (isResumed, pair) = try connect(trusting, to: server, place: place)
            #expect(isResumed)
            #expect(pair.client.state == .open)
            #expect(pair.client.peerFingerprint != nil)
        }
    }

    @Test("not elsewhere, not without a place, not with other settings, and not with a certificate of our own")
    func notResumed() throws {
        let server = try server(certificates.good, asks: true)
        _ = try connect(trusting, to: server, place: "a")
        #expect(try !connect(trusting, to: server, place: "b").isResumed)
        #expect(try !connect(trusting, to: server, place: nil).isResumed)
        #expect(try !connect(TLSSettings(verifies: false), to: server, place: "a").isResumed)
        var known = trusting
        known.clientCertificate = certificates.client
        for _ in 0..<2 {
            let (isResumed, pair) = try connect(known, to: server, place: "a")
            #expect(!isResumed)
            #expect(pair.server.peerFingerprint != nil)
        }
    }

    @Test("a server that no longer knows the session gets a full handshake")
    func forgotten() throws {
        _ = try connect(trusting, to: server(certificates.good), place: "forgotten")
        let (isResumed, pair) = try connect(trusting, to: server(certificates.good), place: "forgotten")
        #expect(!isResumed)
        #expect(pair.client.state == .open)
    }

    @Test("BUG-33: a session doesn't hide a certificate that has become a bad one")
    func replaced() throws {
        _ = try connect(trusting, to: server(certificates.good), place: "replaced")
        let pair = try connect(trusting, to: server(certificates.expired), place: "replaced").pair
        #expect(pair.client.error?.reason == .expired(notAfter: "2021-02-03 04:05:06"))
    }

    @Test("X3: a session doesn't get around a pin")
    func pinned() throws {
        let server = try server(certificates.selfSigned)
        let loose = TLSSettings(verifies: false)
        let fingerprint = try #require(try connect(loose, to: server, place: "pinned").pair.client.peerFingerprint)
        let pinned = TLSSettings(pins: [fingerprint])
        #expect(try !connect(pinned, to: server, place: "pinned").isResumed)
        let (isResumed, pair) = try connect(pinned, to: server, place: "pinned")
        #expect(isResumed)
        #expect(pair.client.state == .open)
        // What has expired is only taken with a pin, and then not by a session.
        let old = try self.server(certificates.expired)
        let oldPin = try #require(try connect(loose, to: old, place: "old").pair.client.peerFingerprint)
        for _ in 0..<2 {
            let (isResumed, pair) = try connect(TLSSettings(pins: [oldPin]), to: old, place: "old")
            #expect(!isResumed)
            #expect(pair.client.state == .open)
        }
    }

    @Test("X1: TLS 1.2 will do, what is older is refused")
    func versions() throws {
        let old = try connect(trusting, to: server(certificates.good, newest: .tls12), place: nil).pair
        #expect(old.client.version == "TLSv1.2")
        #expect(old.client.state == .open)
        let tooOld = try connect(trusting, to: server(certificates.good, newest: .tls11), place: nil).pair
        #expect(tooOld.client.error != nil)
        #expect(!tooOld.client.hasOpened)
    }
}
