import Libolm
import MatrixCrypto
import Testing

@Suite struct ShortAuthenticationTests {
    @Test func bothSidesComeToTheSame() throws {
        let (one, other) = (try driver.makeShortAuthentication(), try driver.makeShortAuthentication())
        #expect(throws: OlmError.self) { try one.bytes(6, info: "info") }
        #expect(throws: OlmError.self) { try one.authenticationCode(of: "m", info: "info") }
        try one.setTheirKey(other.publicKey)
        try other.setTheirKey(one.publicKey)
        #expect(try one.bytes(6, info: "info") == other.bytes(6, info: "info"))
        #expect(try one.bytes(6, info: "info") != other.bytes(6, info: "other"))
        let code = try one.authenticationCode(of: "key", info: "info")
        #expect(try other.authenticationCode(of: "key", info: "info") == code)
        #expect(try other.authenticationCode(of: "kez", info: "info") != code)
        #expect(Base64.decode(code)?.count == 32)
    }

    @Test func whatIsNoKeyIsAnError() throws {
        let one = try driver.makeShortAuthentication()
        for text in hostileTexts where Base64.decode(text)?.count != 32 {
            #expect { try one.setTheirKey(text) } throws: { ($0 as? OlmError)?.reason == .badKey }
        }
    }
}
