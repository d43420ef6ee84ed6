import Libolm
import MatrixCrypto
import Testing

@Suite struct AccountTests {
    @Test func itsKeysAreOfTheRightKindAndItsOwn() throws {
        let (one, other) = (try driver.makeAccount(), try driver.makeAccount())
        for key in [one.identityKeys.curve25519, one.identityKeys.ed25519] {
            #expect(Base64.decode(key)?.count == 32 && key.utf8.count == 43)
        }
        #expect(one.identityKeys != other.identityKeys)
    }

    @Test func theSameRandomBytesMakeTheSameAccount() throws {
        let fixed = LibolmDriver { [UInt8](repeating: 7, count: $0) }
        #expect(try fixed.makeAccount().identityKeys == fixed.makeAccount().identityKeys)
    }

    @Test func randomnessThatRunsDryIsAnError() {
        #expect(throws: OlmError(.other, "NOT_ENOUGH_RANDOM")) { try LibolmDriver { _ in [] }.makeAccount() }
    }

    @Test func signaturesHoldForTheirMessageAlone() throws {
        let account = try driver.makeAccount()
        let key = account.identityKeys.ed25519
        let signature = try account.sign(bytes("message"))
        #expect(driver.isSigned(bytes("message"), by: key, signature: signature))
        #expect(driver.isSigned(bytes("message"), by: key + "=", signature: signature + "=="))
        #expect(!driver.isSigned(bytes("messagE"), by: key, signature: signature))
        #expect(!driver.isSigned([], by: key, signature: signature))
        #expect(!driver.isSigned(bytes("message"), by: account.identityKeys.curve25519, signature: signature))
        #expect(driver.isSigned([], by: key, signature: try account.sign([])))
    }

    @Test func aSignatureHasOneSpelling() throws {
        let key = try driver.signingKey(seed: [UInt8](repeating: 1, count: 32))
        var signature = try #require(Base64.decode(try key.sign(bytes("m"))))
        // S + L is as good to libolm (CVE-2024-45193).
        let order: [UInt8] =
            [0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14]
            + [UInt8](repeating: 0, count: 15) + [0x10]
        var carry = 0
        for place in 0..<32 {
            let sum = Int(signature[32 + place]) + Int(order[place]) + carry
            signature[32 + place] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        #expect(!driver.isSigned(bytes("m"), by: key.publicKey, signature: Base64.encode(signature)))
    }

    @Test func whatIsNoKeyOrNoSignatureSignsNothing() throws {
        let account = try driver.makeAccount()
        let signature = try account.sign(bytes("m"))
        for text in hostileTexts {
            #expect(!driver.isSigned(bytes("m"), by: text, signature: signature))
            #expect(!driver.isSigned(bytes("m"), by: account.identityKeys.ed25519, signature: text))
            #expect(!driver.isSigned(bytes("m"), by: text, signature: text))
        }
    }

    /// RFC 8032 section 7.1, test 2.
    @Test func aSeedMakesThePublishedKeyAndSignature() throws {
        let key = try driver.signingKey(
            seed: hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"))
        #expect(
            Base64.decode(key.publicKey) == hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let signature = hex(
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
        #expect(Base64.decode(try key.sign([0x72])) == signature)
        #expect(driver.isSigned([0x72], by: key.publicKey, signature: Base64.encode(signature)))
    }

    @Test(arguments: [0, 1, 31, 33, 64]) func aSeedOfAnotherLengthIsRefused(_ count: Int) {
        #expect(throws: OlmError.self) { try driver.signingKey(seed: [UInt8](repeating: 1, count: count)) }
    }

    @Test func oneTimeKeysAreListedUntilPublished() throws {
        let account = try driver.makeAccount()
        #expect(try account.unpublishedOneTimeKeys().isEmpty)
        try account.generateOneTimeKeys(50)
        let keys = try account.unpublishedOneTimeKeys()
        #expect(Set(keys.map(\.id)).count == 50 && Set(keys.map(\.key)).count == 50)
        account.markKeysAsPublished()
        #expect(try account.unpublishedOneTimeKeys().isEmpty)
        try account.generateOneTimeKeys(0)
        try account.generateOneTimeKeys(-3)
        #expect(try account.unpublishedOneTimeKeys().isEmpty)
        try account.generateOneTimeKeys(Int.max)
        #expect(try account.unpublishedOneTimeKeys().count == account.maximumOneTimeKeys)
    }

    @Test func aFallbackKeyServesOftenAndItsForerunnerUntilForgotten() throws {
        let account = try driver.makeAccount()
        #expect(try account.unpublishedFallbackKey() == nil)
        try account.generateFallbackKey()
        let first = try #require(try account.unpublishedFallbackKey())
        account.markKeysAsPublished()
        #expect(try account.unpublishedFallbackKey() == nil)
        try account.generateFallbackKey()
        let second = try #require(try account.unpublishedFallbackKey())
        #expect(first != second)
        func begins(with key: PublicKey) throws -> Bool {
            let other = try driver.makeAccount()
            let session = try other.outboundSession(
                with: account.identityKeys.curve25519, oneTimeKey: key.key)
            let message = try session.encrypt(bytes("hello"))
            guard let ours = try? account.inboundSession(from: other.identityKeys.curve25519, message: message) else {
                return false
            }
            #expect(try ours.decrypt(message) == bytes("hello"))
            try account.removeOneTimeKeys(usedBy: ours)
            return true
        }
        for key in [first, second, first, second] { #expect(try begins(with: key)) }
        account.forgetOldFallbackKey()
        #expect(try !begins(with: first))
        #expect(try begins(with: second))
    }

    @Test func aPickleOpensUnderItsKeyAlone() throws {
        let account = try driver.makeAccount()
        try account.generateOneTimeKeys(5)
        let pickle = try account.pickle(key: pickleKey)
        let again = try driver.account(from: pickle, key: pickleKey)
        #expect(again.identityKeys == account.identityKeys)
        #expect(try again.unpublishedOneTimeKeys() == account.unpublishedOneTimeKeys())
        #expect { try driver.account(from: pickle, key: bytes("another")) } throws: {
            ($0 as? OlmError)?.reason == .wrongPickleKey
        }
    }

    @Test func aDamagedPickleIsAnError() throws {
        let whole = try driver.makeAccount().pickle(key: pickleKey)
        for cut in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: OlmError.self) {
                try driver.account(from: Array(whole.prefix(cut)), key: pickleKey)
            }
        }
        for text in hostileTexts {
            #expect(throws: OlmError.self) { try driver.account(from: bytes(text), key: pickleKey) }
            #expect(throws: OlmError.self) { try driver.session(from: bytes(text), key: pickleKey) }
            #expect(throws: OlmError.self) { try driver.inboundGroupSession(from: bytes(text), key: pickleKey) }
            #expect(throws: OlmError.self) { try driver.outboundGroupSession(from: bytes(text), key: pickleKey) }
        }
    }

    @Test func aPickleOfAnotherKindIsAnError() throws {
        let group = try driver.makeOutboundGroupSession().pickle(key: pickleKey)
        #expect(throws: OlmError.self) { try driver.account(from: group, key: pickleKey) }
    }
}

func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
