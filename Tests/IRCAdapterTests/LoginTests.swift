import Base
import IRC
import OpenSSL
import TestSupport
import Testing

@testable import IRCAdapter

@Suite("IRC adapter: logging in") @Loop
struct LoginTests {
    nonisolated static let key = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIDvdT6SB7aByNjXnEuLAPTTg8iAZ3sDsRfHQkvG2p4kSoAoGCCqGSM49
        AwEHoUQDQgAEO8eyEJ9mdstDXnnL+/whRvftlsu0Ej5JD+jT39RMl8ptTtMesq3N
        UuXG+E7NrsNiJEcZF593AxHwFjOcQXa6nw==
        -----END EC PRIVATE KEY-----
        """

    private func network(_ mechanism: SASLMechanism, key: String? = nil) -> Network {
        Network {
            $0.connection.login = .init(
                username: "user", password: Secret("pencil"), key: key.map { Secret($0) }, mechanisms: [mechanism])
        }
    }

    /// Waits for the desk's answer, which comes over a queue of its own.
    private func nextLine(_ network: Network, startingWith prefix: String = "") async -> String {
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
            if let line = network.link.sent().first(where: { $0.hasPrefix(prefix) }) { return line }
            await Task.yield()
        }
        return "nothing"
    }

    private func begin(_ network: Network) {
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl", "AUTHENTICATE +")
    }

    @Test("C7: SCRAM-SHA-256 against the server's side of it, with real randomness and hashes off the loop")
    func scram() async throws {
        let network = network(.scramSHA256)
        network.adapter.start()
        network.link.open()
        network.receive(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl")
        _ = network.link.sent()
        network.receive("AUTHENTICATE +")
        let first = try decoded(await nextLine(network))
        #expect(first.hasPrefix("n,,n=user,r="))
        let bare = String(first.dropFirst(3))
        let nonce = try #require(bare.components(after: "r="))
        #expect(nonce.utf8.count == 24)
        let challenge = "r=\(nonce)SERVER,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
        network.receive("AUTHENTICATE \(encoded(challenge))")
        let final = try decoded(await nextLine(network))
        let parts = final.split(separator: ",").map { String($0) }
        #expect(parts[0] == "c=biws")
        #expect(parts[1] == "r=\(nonce)SERVER")
        // The server's side, RFC 5802 section 3.
        let salted = SHA256.pbkdf2(password: Array("pencil".utf8), salt: salt, iterations: 4096)
        let message = Array("\(bare),\(challenge),\(parts[0]),\(parts[1])".utf8)
        let stored = SHA256.hash(SHA256.hmac(key: salted, Array("Client Key".utf8)))
        let proof = try #require(bytes(String(parts[2].dropFirst(2))))
        let clientKey = zip(proof, SHA256.hmac(key: stored, message)).map { $0 ^ $1 }
        #expect(SHA256.hash(clientKey) == stored)
        let signature = SHA256.hmac(key: SHA256.hmac(key: salted, Array("Server Key".utf8)), message)
        network.receive("AUTHENTICATE \(base64("v=" + base64(signature)))")
        #expect(network.link.sent() == ["AUTHENTICATE +"])
        network.receive(":irc.test 900 * * user :ok", ":irc.test 903 * :ok")
        #expect(network.link.sent() == ["CAP END"])
        #expect(!network.sink.lines.contains { $0.contains("pencil") })
    }

    @Test("C7: six hundred thousand rounds of hashing hold neither the loop nor another network")
    func offTheLoop() async throws {
        let network = network(.scramSHA256)
        begin(network)
        let first = try decoded(await nextLine(network, startingWith: "AUTHENTICATE biws"))
        let nonce = try #require(first.components(after: "r="))
        network.receive("AUTHENTICATE \(encoded("r=\(nonce)SERVER,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=600000"))")
        #expect(network.link.sent().isEmpty)
        let other = Network()
        other.adapter.start()
        other.welcome()
        #expect(other.adapter.isOnline)
        #expect(network.link.sent().isEmpty)
        #expect(await nextLine(network).hasPrefix("AUTHENTICATE Yz1"))
    }

    @Test("C5: ECDSA signs the challenge as it is; the signature is the key's, in DER")
    func ecdsa() async throws {
        let network = network(.ecdsa, key: Self.key)
        begin(network)
        _ = network.link.sent()
        let challenge = Array(UInt8(0)..<32)
        network.receive("AUTHENTICATE \(base64(challenge))")
        let line = await nextLine(network)
        let signature = try #require(bytes(String(line.dropFirst("AUTHENTICATE ".count))))
        #expect(try P256Key(pem: Self.key).verifies(signature, of: challenge))
        #expect(signature.first == 0x30)
    }

    @Test("a key that can't be used ends the login with its reason, and none of the key is shown")
    func brokenKey() async {
        let network = network(.ecdsa, key: "-----BEGIN PRIVATE KEY-----\nabcdefgh\n-----END PRIVATE KEY-----\n")
        begin(network)
        _ = network.link.sent()
        network.receive("AUTHENTICATE \(base64([UInt8](repeating: 1, count: 32)))")
        #expect(await nextLine(network) == "AUTHENTICATE *")
        #expect(network.sink.lines.contains { $0.contains("no private key") })
        #expect(!network.sink.lines.contains { $0.contains("abcdefgh") })
    }

    @Test("an answer that comes when its connection is gone is for nobody")
    func tooLate() async {
        let network = network(.scramSHA256)
        begin(network)
        network.link.end(IRCLinkEnd(.byPeer, "closed"))
        _ = network.waitForAttempt()
        network.link.open()
        _ = network.link.sent()
        // A later answer passes the same queue, so the one before it has been thrown away by then.
        network.receive(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl")
        #expect(network.link.sent().last == "AUTHENTICATE SCRAM-SHA-256")
        network.receive("AUTHENTICATE +")
        #expect(await nextLine(network).hasPrefix("AUTHENTICATE biws"))
        #expect(network.link.sent().isEmpty)
    }

    @Test("C8, S9: a wrong password is told as an error and tried ever more rarely; services away are not that")
    func waits() {
        let network = network(.plain)
        network.adapter.start()
        var waits: [Duration] = []
        for _ in 0..<8 {
            network.link.open()
            network.receive(":irc.test CAP * LS :sasl", ":irc.test CAP * ACK :sasl", "AUTHENTICATE +")
            network.receive(":irc.test 904 gifbot :SASL authentication failed")
            waits.append(network.waitForAttempt())
        }
        #expect(waits[0] == .minutes(10))
        #expect(waits[1] > waits[0])
        #expect(waits.suffix(2).allSatisfy { $0 >= .hours(4) && $0 <= .hours(6) })
        #expect(network.sink.lines.filter { $0.hasPrefix("the server refuses our login") }.count == 1)

        let away = self.network(.plain)
        away.adapter.start()
        away.link.open()
        away.receive(":irc.test CAP * LS :server-time")
        #expect(away.waitForAttempt() <= .seconds(7))
    }

    private let salt: [UInt8] = [
        0x5B, 0x6D, 0x99, 0x68, 0x9D, 0x12, 0x35, 0x8E, 0xEC, 0xA0, 0x4B, 0x14, 0x12, 0x36, 0xFA, 0x81,
    ]

    private func decoded(_ line: String) throws -> String {
        let text = try #require(line.hasPrefix("AUTHENTICATE ") ? String(line.dropFirst(13)) : nil)
        return String(decoding: try #require(bytes(text)), as: UTF8.self)
    }

    private func encoded(_ text: String) -> String { base64(text) }
    private func base64(_ text: String) -> String { base64(Array(text.utf8)) }
    private func base64(_ bytes: [UInt8]) -> String { Coding.encode(bytes) }
    private func bytes(_ text: String) -> [UInt8]? { Coding.decode(text) }
}

extension String {
    fileprivate func components(after mark: String) -> String? {
        split(separator: ",").first { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }
}
