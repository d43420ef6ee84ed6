import OpenSSL
import Testing

@Suite("Keys for signing")
struct P256KeyTests {
    static let key = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIDvdT6SB7aByNjXnEuLAPTTg8iAZ3sDsRfHQkvG2p4kSoAoGCCqGSM49
        AwEHoUQDQgAEO8eyEJ9mdstDXnnL+/whRvftlsu0Ej5JD+jT39RMl8ptTtMesq3N
        UuXG+E7NrsNiJEcZF593AxHwFjOcQXa6nw==
        -----END EC PRIVATE KEY-----
        """

    @Test("irctest testEcdsa: 32 bytes are signed as they are, behind a block of EC PARAMETERS")
    func sign() throws {
        let key = try P256Key(pem: Self.key)
        let digest = Array(UInt8(0)..<32)
        let signature = try #require(key.sign(digest))
        #expect(signature.first == 0x30)
        #expect(key.verifies(signature, of: digest))
        #expect(!key.verifies(signature, of: digest.reversed()))
        #expect(!key.verifies(signature, of: SHA256.hash(digest)))
        #expect(key.sign(digest) != key.sign(digest))
    }

    @Test(
        "what is no such key is told without a word of it",
        arguments: ["", "secret", "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n", ed25519])
    func refused(pem: String) {
        let error = #expect(throws: P256KeyError.self) { try P256Key(pem: pem) }
        #expect(error?.reason.contains("secret") == false)
        #expect(error?.reason.contains(pem == Self.ed25519 ? "P-256" : "no private key") == true)
    }

    private static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIFn3iHd3qLJqhT3kyw/qPwcQ6c1hyU7oYhJpNfLbhjHq
        -----END PRIVATE KEY-----
        """
}
