import Libolm
import MatrixCrypto
import TestSupport
import Testing

/// Each step against another implementation, in both directions.
@Suite(.enabled(if: VodozemacSide.isWanted)) struct VodozemacTests {
    let other: VodozemacSide

    init() throws { other = try VodozemacSide() }

    private func b64(_ text: String) -> String { Base64.encode(bytes(text)) }

    private func message(_ fields: [String: Any]) throws -> OlmMessage {
        OlmMessage(type: try #require(fields["type"] as? Int), body: try #require(fields["body"] as? String))
    }

    @Test func signaturesHoldOnBothSides() throws {
        let account = try driver.makeAccount()
        let signature = try account.sign(bytes("message"))
        #expect(try other.take("verify", account.identityKeys.ed25519, b64("message"), signature) as? Bool == true)
        #expect(try other.take("verify", account.identityKeys.ed25519, b64("messagE"), signature) as? Bool == false)
        let keys = try other.fields("account", "a")
        let theirs = try other.text("sign", "a", b64("message"))
        let key = try #require(keys["ed25519"] as? String)
        #expect(driver.isSigned(bytes("message"), by: key, signature: theirs))
        let signing = try driver.signingKey(seed: [UInt8](repeating: 9, count: 32))
        let mine = try signing.sign(bytes("message"))
        #expect(try other.take("verify", signing.publicKey, b64("message"), mine) as? Bool == true)
    }

    @Test func aSessionThatWeBegin() throws {
        let account = try driver.makeAccount()
        let keys = try other.fields("account", "a")
        let identity = try #require(keys["curve25519"] as? String)
        let oneTime = try #require((try other.take("one_time_keys", "a", 1) as? [String])?.first)
        let session = try account.outboundSession(with: identity, oneTimeKey: oneTime)
        let first = try session.encrypt(bytes("first"))
        let accepted = try other.fields("accept_session", "s", "a", account.identityKeys.curve25519, first.body)
        #expect(accepted["plain"] as? String == b64("first"))
        #expect(accepted["id"] as? String == session.id)
        for number in 0..<5 {
            let theirs = try message(other.fields("encrypt", "s", b64("theirs \(number)")))
            #expect(try session.decrypt(theirs) == bytes("theirs \(number)"))
            let ours = try session.encrypt(bytes("ours \(number)"))
            #expect(try other.text("decrypt", "s", ours.type, ours.body) == b64("ours \(number)"))
        }
    }

    @Test func aSessionThatTheyBegin() throws {
        let account = try driver.makeAccount()
        try account.generateOneTimeKeys(1)
        try account.generateFallbackKey()
        let fallback = try #require(try account.unpublishedFallbackKey())
        for (number, key) in (try account.unpublishedOneTimeKeys() + [fallback, fallback]).enumerated() {
            let keys = try other.fields("account", "a\(number)")
            let identity = try #require(keys["curve25519"] as? String)
            let id = try other.text(
                "begin_session", "s\(number)", "a\(number)", account.identityKeys.curve25519, key.key)
            let first = try message(other.fields("encrypt", "s\(number)", b64("first")))
            let session = try account.inboundSession(from: identity, message: first)
            #expect(session.id == id)
            #expect(try session.decrypt(first) == bytes("first"))
            try account.removeOneTimeKeys(usedBy: session)
            let answer = try session.encrypt(bytes("answer"))
            #expect(try other.text("decrypt", "s\(number)", answer.type, answer.body) == b64("answer"))
        }
    }

    @Test func roomsInBothDirections() throws {
        let ours = try driver.makeOutboundGroupSession()
        #expect(try other.text("join_group", "in", ours.sessionKey()) == ours.id)
        for number in 0..<3 {
            let read = try other.fields("group_decrypt", "in", ours.encrypt(bytes("ours \(number)")))
            #expect(read["plain"] as? String == b64("ours \(number)") && read["index"] as? Int == number)
        }
        let group = try other.fields("group", "out")
        let theirs = try driver.inboundGroupSession(sessionKey: try #require(group["key"] as? String))
        #expect(theirs.id == group["id"] as? String)
        let messages = try (0..<5).map { try other.text("group_encrypt", "out", b64("theirs \($0)")) }
        for number in [3, 0, 4, 1, 2] {
            let read = try theirs.decrypt(messages[number])
            #expect(read == GroupPlaintext(bytes: bytes("theirs \(number)"), index: UInt32(number)))
        }
    }

    @Test func shortStringsAreTheSame() throws {
        let sas = try driver.makeShortAuthentication()
        try sas.setTheirKey(try other.text("sas", "sas"))
        try other.take("sas_agree", "sas", sas.publicKey)
        let six = try sas.bytes(6, info: "the info").reduce(0) { $0 << 8 | Int($1) }
        let emoji = (0..<7).map { six >> (42 - 6 * $0) & 63 }
        #expect(try other.fields("sas_emoji", "sas", "the info")["emoji"] as? [Int] == emoji)
        let code = try sas.authenticationCode(of: "ed25519:DEVICE", info: "the info")
        #expect(try other.text("sas_mac", "sas", "ed25519:DEVICE", "the info") == code)
    }

    /// Another library could take over what this one stored.
    @Test func theyOpenOurPickle() throws {
        let account = try driver.makeAccount()
        let pickle = String(decoding: try account.pickle(key: pickleKey), as: UTF8.self)
        #expect(
            try other.text("open_pickle", pickle, Base64.encode(pickleKey)) == account.identityKeys.ed25519)
    }
}
