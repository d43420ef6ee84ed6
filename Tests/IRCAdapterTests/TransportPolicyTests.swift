import Base
import IRC
import OpenSSL
import TestSupport
import Testing

@testable import IRCAdapter

/// A network that is configured as plain text and demands TLS (IRCv3 sts).
@Suite("IRC adapter: strict transport") @Loop
struct TransportPolicyTests {
    private let policies = MemoryPolicies()

    private func plain(_ change: (inout IRCNetworkSettings) -> Void = { _ in }) -> Network {
        Network(
            {
                $0.connection.endpoint.host = "IRC.Example.test."
                $0.connection.endpoint.port = 6667
                $0.connection.endpoint.tls = nil
                change(&$0)
            }, policies: policies)
    }

    private func capabilities(_ network: Network, _ list: String) {
        network.link.open()
        network.receive(":irc.test CAP * LS :\(list)")
    }

    @Test("X5: the plain connection is left at once, and the next one goes to the port told, over TLS that is checked")
    func upgrade() {
        let pin = Fingerprint(String(repeating: "AB", count: 32))!
        let network = plain { $0.connection.endpoint.tlsWhenDemanded = TLSSettings(verifies: false, pins: [pin]) }
        network.adapter.start()
        #expect(network.transport.endpoints.last?.tls == nil)
        capabilities(network, "sts=port=7000,duration=300")
        #expect(network.link.isClosed)
        #expect(network.waitForAttempt() == .zero)
        let endpoint = network.transport.endpoints.last
        #expect(endpoint?.port == 7000)
        #expect(endpoint?.tls == TLSSettings(verifies: true, pins: [pin]))
        // What a plain connection was told is kept nowhere: anybody could have said it.
        #expect(policies.policies.isEmpty)
        #expect(!network.sink.lines.contains { $0.hasPrefix("no connection") && !$0.contains("again_in=0") })
    }

    @Test("X5: a broken upgrade never falls back, however often it fails")
    func brokenUpgrade() {
        let network = plain()
        network.adapter.start()
        capabilities(network, "sts=port=7000")
        _ = network.waitForAttempt()
        for round in 0..<12 {
            let ends: [IRCLinkEnd.Kind] = [.failed, .refused, .lasting, .byPeer]
            network.link.end(IRCLinkEnd(ends[round % 4], "broken"))
            _ = network.waitForAttempt()
            #expect(network.transport.endpoints.last?.tls?.verifies == true)
            #expect(network.link.sent().isEmpty)
        }
    }

    @Test("X5: nor does a new adapter, made for new settings, until TLS has said more; other hosts are left alone")
    func newAdapter() {
        let first = plain()
        first.adapter.start()
        capabilities(first, "sts=port=7000")
        first.adapter.abandon()
        let second = plain { $0.connection.nick = "other" }
        second.adapter.start()
        #expect(second.transport.endpoints.first?.port == 7000)
        #expect(second.transport.endpoints.first?.tls?.verifies == true)
        let elsewhere = plain { $0.connection.endpoint.host = "irc.example.org" }
        elsewhere.adapter.start()
        #expect(elsewhere.transport.endpoints.first?.tls == nil)
        capabilities(second, "sts=duration=0")
        second.adapter.abandon()
        let third = plain()
        third.adapter.start()
        #expect(third.transport.endpoints.first?.tls == nil)
    }

    @Test("X5: over TLS the duration is kept, by host name, without the port that is told there")
    func kept() {
        let network = plain()
        network.adapter.start()
        capabilities(network, "sts=port=7000")
        _ = network.waitForAttempt()
        capabilities(network, "sts=duration=600,port=12345")
        let now = network.clock.wall
        #expect(
            policies.policies == [
                "irc.example.test": STSPolicy(
                    port: 7000, duration: .seconds(600), expires: now.advanced(by: .minutes(10)))
            ])
        // Counted anew from the end of the connection.
        network.clock.advance(by: .seconds(20))
        network.receive("ERROR :closing link")
        let end = network.clock.wall
        #expect(policies.policies["irc.example.test"]?.expires == end.advanced(by: .minutes(10)))
        _ = network.waitForAttempt()
        #expect(network.transport.endpoints.last?.port == 7000)
    }

    @Test("X5: a stored policy holds from the first connection, until it runs out")
    func stored() {
        let clock = ManualClock()
        policies.policies["irc.example.test"] = STSPolicy(
            port: 7000, duration: .seconds(600), expires: clock.wall.advanced(by: .minutes(10)))
        let first = plain()
        first.adapter.start()
        #expect(first.transport.endpoints.first?.port == 7000)
        #expect(first.transport.endpoints.first?.tls != nil)
        // The connection was told nothing, so the policy isn't counted anew.
        first.adapter.abandon()
        let second = plain()
        second.clock.advance(by: .minutes(11))
        second.adapter.start()
        #expect(second.transport.endpoints.first?.port == 6667)
        #expect(second.transport.endpoints.first?.tls == nil)
    }

    @Test("X5: a stored policy forbids plain connections even when TLS fails")
    func storedAndBroken() {
        policies.policies["irc.example.test"] = STSPolicy(
            port: 7000, duration: .days(30), expires: ManualClock().wall.advanced(by: .days(30)))
        let network = plain()
        network.adapter.start()
        for _ in 0..<5 {
            network.link.end(IRCLinkEnd(.lasting, "irc.example.test: the certificate ran out"))
            _ = network.waitForAttempt()
        }
        #expect(network.transport.endpoints.allSatisfy { $0.tls != nil && $0.port == 7000 })
    }

    @Test("X5: a policy that has run out while TLS failed holds no longer")
    func ranOut() {
        let network = plain()
        network.adapter.start()
        capabilities(network, "sts=port=7000")
        _ = network.waitForAttempt()
        capabilities(network, "sts=duration=60")
        var endpoints = 0
        while network.transport.endpoints.last?.tls != nil, endpoints < 20 {
            network.link.end(IRCLinkEnd(.failed, "refused"))
            _ = network.waitForAttempt()
            endpoints += 1
        }
        // 5, 10, 20 and 40 seconds, give or take a third.
        #expect(3...6 ~= endpoints)
        #expect(network.transport.endpoints.last?.port == 6667)
    }

    @Test("X5: duration 0 ends it")
    func ended() {
        let network = plain()
        network.adapter.start()
        capabilities(network, "sts=port=7000")
        _ = network.waitForAttempt()
        capabilities(network, "sts=duration=600")
        network.receive(":irc.test CAP * NEW :sts=duration=0")
        #expect(policies.policies.isEmpty)
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        #expect(policies.policies.isEmpty)
        _ = network.waitForAttempt()
        #expect(network.transport.endpoints.last?.tls == nil)
    }

    @Test("X5: a network that is configured with TLS has its policy kept too, for the day the config changes")
    func configured() {
        let network = Network(policies: policies)
        network.adapter.start()
        capabilities(network, "sts=port=1,duration=86400")
        #expect(policies.policies["irc.example.test"]?.port == 6697)
        #expect(!network.link.isClosed)
        network.adapter.abandon()
        #expect(policies.policies["irc.example.test"]?.expires == network.clock.wall.advanced(by: .days(1)))
    }
}
