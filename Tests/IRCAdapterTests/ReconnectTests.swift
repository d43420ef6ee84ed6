import Base
import OpenSSL
import TestSupport
import IRCAdapter
import Testing

@Suite("IRC adapter: coming back") @Loop
struct ReconnectTests {
    @Test("S2, BUG-10: a dead connection is noticed, and a failed look-up is one more failed try")
    func deadPeer() {
        let network = Network()
        network.join()
        network.clock.advance(by: .seconds(91))
        #expect(network.link.sent().first?.hasPrefix("PING ") == true)
        let first = network.link
        network.clock.advance(by: .seconds(90))
        #expect(first.isClosed)
        _ = network.waitForAttempt()
        #expect(network.transport.endpoints.count == 2)
        network.link.end(IRCLinkEnd(.failed, "no address found for irc.example.test"))
        _ = network.waitForAttempt()
        network.welcome()
        #expect(network.adapter.isOnline)
    }

    @Test("S8, BUG-11: a throttle makes the waits grow fast, up to the longest")
    func throttled() {
        let network = Network()
        network.adapter.start()
        var waits: [Duration] = []
        for _ in 0..<20 {
            network.link.open()
            network.receive("ERROR :Trying to reconnect too fast, throttled")
            waits.append(network.waitForAttempt())
        }
        // Four tries: a minute at least.
        #expect(waits.prefix(4).reduce(.zero, +) >= .seconds(60))
        #expect(waits.dropFirst(8).allSatisfy { $0 >= .minutes(6) && $0 <= .minutes(10) })
        #expect(network.sink.lines.filter { $0.contains("no connection") && $0.contains("too fast") }.count == 20)
    }

    @Test(
        "S7, S8, BUG-11: other refusals", arguments: [IRCLinkEnd.Kind.failed, .byPeer, .refused, .lasting])
    func refused(kind: IRCLinkEnd.Kind) {
        let network = Network()
        network.adapter.start()
        var waits: [Duration] = []
        for _ in 0..<20 {
            network.link.end(IRCLinkEnd(kind, "no"))
            waits.append(network.waitForAttempt())
        }
        #expect(waits[0] >= .seconds(3))
        #expect(waits.dropFirst(10).allSatisfy { $0 >= .minutes(6) && $0 <= .minutes(10) })
    }

    @Test("S9, BUG-11: a ban waits the longest at once, then tries a few times a day, and is told loudly and once")
    func banned() {
        let network = Network()
        network.adapter.start()
        var waits: [Duration] = []
        for round in 0..<12 {
            network.link.open()
            network.receive(":irc.test 465 gifbot :You are banned for \(900 - round) seconds")
            network.link.end(IRCLinkEnd(.failed, "Connection reset by peer"))
            waits.append(network.waitForAttempt())
        }
        #expect(waits[0] == .minutes(10))
        #expect(zip(waits, waits.dropFirst()).prefix(4).allSatisfy { $0 < $1 })
        // Four times a day, six at the most.
        #expect(waits.suffix(6).allSatisfy { $0 >= .hours(4) && $0 <= .hours(6) })
        #expect(network.sink.lines.filter { $0.hasPrefix("the server has banned us") }.count == 1)
        // Let in again for long enough, it's forgotten.
        network.welcome()
        for _ in 0..<10 {
            network.clock.advance(by: .seconds(60))
            network.receive("PING :x")
        }
        network.receive("ERROR :Closing Link: 127.0.0.1 (K-Lined)")
        #expect(network.waitForAttempt() == .minutes(10))
    }

    @Test("S10: after a KILL it comes back, with the long delay, however often")
    func killed() {
        let network = Network()
        network.adapter.start()
        for _ in 0..<3 {
            network.welcome()
            network.receive(":oper!o@h KILL gifbot :oper (spam)")
            #expect(network.waitForAttempt() == .minutes(10))
        }
    }

    @Test("S8: hybrid closes before TLS, InspIRCd says so: a minute within four tries")
    func silentThrottle() {
        for isSilent in [true, false] {
            let network = Network()
            network.adapter.start()
            var total = Duration.zero
            for _ in 0..<4 {
                if isSilent {
                    network.link.end(IRCLinkEnd(.refused, "irc.example.test: closed during the TLS handshake"))
                } else {
                    network.link.open()
                    network.link.end(IRCLinkEnd(.byPeer, "closed by the other side"))
                }
                total += network.waitForAttempt()
            }
            #expect(total >= .minutes(1))
        }
    }

    @Test("S7, BUG-11: welcomed and dropped after three seconds, again and again, slows down too")
    func flapping() {
        let network = Network()
        network.adapter.start()
        var waits: [Duration] = []
        for _ in 0..<12 {
            network.welcome()
            network.clock.advance(by: .seconds(3))
            network.link.end(IRCLinkEnd(.byPeer, "closed"))
            waits.append(network.waitForAttempt())
        }
        #expect(waits[0] <= .seconds(7))
        #expect(waits[11] >= .minutes(6))
        // A good connection makes up for it.
        network.welcome()
        for _ in 0..<10 {
            network.clock.advance(by: .seconds(60))
            network.receive("PING :x")
        }
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        #expect(network.waitForAttempt() <= .seconds(7))
    }

    @Test("BUG-31: nothing is left of five hundred attempts")
    func nothingLeft() {
        let network = Network()
        network.adapter.start()
        for round in 0..<500 {
            switch round % 4 {
            case 0: network.link.end(IRCLinkEnd(.failed, "refused"))
            case 1: network.link.end(IRCLinkEnd(.refused, "TLS"))
            case 2:
                network.link.open()
                network.link.end(IRCLinkEnd(.byPeer, "closed"))
            default:
                network.welcome()
                network.receive("ERROR :bye")
            }
            _ = network.waitForAttempt()
        }
        #expect(network.transport.endpoints.count == 501)
        #expect(network.transport.living == 1)
    }

    @Test("BUG-33: a certificate that ran out is told once with its date, tried rarely, never without TLS")
    func certificate() {
        let network = Network()
        network.adapter.start()
        for _ in 0..<6 {
            network.link.end(
                IRCLinkEnd(.lasting, "irc.example.test: the certificate ran out on 2026-01-01 00:00:00 UTC"))
            #expect(network.link.sent().isEmpty)
            #expect(network.waitForAttempt() >= .minutes(5))
        }
        #expect(network.transport.endpoints.allSatisfy { $0.tls?.verifies == true })
        #expect(network.sink.lines.filter { $0.contains("2026-01-01") }.count == 6)
    }

    @Test("BUG-33: checking switched off is told at each start")
    func unchecked() {
        let network = Network { $0.connection.endpoint.tls?.verifies = false }
        network.adapter.start()
        #expect(network.sink.lines.first?.contains("not checked") == true)
    }

    @Test func connectingTakesItsTime() {
        let network = Network()
        network.adapter.start()
        network.clock.advance(by: .seconds(44))
        #expect(!network.link.isClosed)
        network.clock.advance(by: .seconds(1))
        #expect(network.link.isClosed)
    }

    @Test func wrongPasswordIsNotTriedAgainSoon() {
        let network = Network { $0.connection.login = .init(username: "gifbot", password: Secret("hush-hush")) }
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl", "AUTHENTICATE +")
        network.receive(":irc.test 904 gifbot :SASL authentication failed")
        #expect(network.link.isClosed)
        #expect(network.waitForAttempt() == .minutes(10))
        #expect(!network.sink.lines.contains { $0.contains("hush") })
    }
}
