import Libolm
import MatrixCrypto
import Testing

@Suite struct SessionTests {
    @Test func bothWritesAndBothRead() throws {
        let (from, to, theirs) = try driver.pair()
        #expect(!theirs.hasReceivedMessage)
        let first = try theirs.encrypt(bytes("first"))
        #expect(first.type == 0)
        let ours = try to.inboundSession(from: from.identityKeys.curve25519, message: first)
        #expect(ours.id == theirs.id)
        // The buffer given to `matches` must not spoil what is decrypted after it.
        #expect(ours.matches(first, from: from.identityKeys.curve25519))
        #expect(!ours.matches(first, from: to.identityKeys.curve25519))
        #expect(try ours.decrypt(first) == bytes("first"))
        try to.removeOneTimeKeys(usedBy: ours)
        for number in 0..<5 {
            let answer = try ours.encrypt(bytes("answer \(number)"))
            #expect(answer.type == 1)
            #expect(try theirs.decrypt(answer) == bytes("answer \(number)"))
            #expect(theirs.hasReceivedMessage)
            let more = try theirs.encrypt(bytes("more \(number)"))
            #expect(more.type == 1)
            #expect(try ours.decrypt(more) == bytes("more \(number)"))
        }
        #expect(try theirs.decrypt(ours.encrypt([])) == [])
        let large = [UInt8](repeating: 0, count: 100_000)
        #expect(try theirs.decrypt(ours.encrypt(large)) == large)
    }

    @Test func anOrderMixedUpIsReadAndARepetitionIsNot() throws {
        let (from, to, theirs) = try driver.pair()
        let messages = try (0..<10).map { try theirs.encrypt(bytes("\($0)")) }
        let ours = try to.inboundSession(from: from.identityKeys.curve25519, message: messages[7])
        for number in [7, 0, 9, 3, 1, 8, 2, 6, 4, 5] {
            #expect(try ours.decrypt(messages[number]) == bytes("\(number)"))
        }
        #expect { try ours.decrypt(messages[3]) } throws: { ($0 as? OlmError)?.reason == .badMessage }
    }

    @Test func aOneTimeKeyServesOnce() throws {
        let (from, to, theirs) = try driver.pair()
        let first = try theirs.encrypt(bytes("first"))
        let ours = try to.inboundSession(from: from.identityKeys.curve25519, message: first)
        _ = try ours.decrypt(first)
        try to.removeOneTimeKeys(usedBy: ours)
        #expect { try to.inboundSession(from: from.identityKeys.curve25519, message: first) } throws: {
            ($0 as? OlmError)?.reason == .unknownOneTimeKey
        }
        #expect { try to.removeOneTimeKeys(usedBy: ours) } throws: {
            ($0 as? OlmError)?.reason == .unknownOneTimeKey
        }
    }

    @Test func anIdentityThatIsNotTheSendersIsRefused() throws {
        let (_, to, theirs) = try driver.pair()
        let first = try theirs.encrypt(bytes("first"))
        #expect(throws: OlmError.self) {
            try to.inboundSession(from: try driver.makeAccount().identityKeys.curve25519, message: first)
        }
    }

    @Test func aSessionGoesOnFromItsPickle() throws {
        let (from, to, theirs) = try driver.pair()
        let first = try theirs.encrypt(bytes("first"))
        let ours = try to.inboundSession(from: from.identityKeys.curve25519, message: first)
        let pickle = try ours.pickle(key: pickleKey)
        let again = try driver.session(from: pickle, key: pickleKey)
        #expect(again.id == ours.id)
        #expect(try again.decrypt(first) == bytes("first"))
        #expect(try theirs.decrypt(again.encrypt(bytes("answer"))) == bytes("answer"))
        #expect { try driver.session(from: pickle, key: []) } throws: {
            ($0 as? OlmError)?.reason == .wrongPickleKey
        }
    }

    @Test func whatIsNoMessageIsAnErrorAndHarmsNothing() throws {
        let (from, to, theirs) = try driver.pair()
        let first = try theirs.encrypt(bytes("first"))
        let ours = try to.inboundSession(from: from.identityKeys.curve25519, message: first)
        for text in hostileTexts {
            for type in [0, 1, 2, -1, Int.max] {
                let message = OlmMessage(type: type, body: text)
                #expect(throws: OlmError.self) { try ours.decrypt(message) }
                #expect(throws: OlmError.self) {
                    try to.inboundSession(from: from.identityKeys.curve25519, message: message)
                }
                #expect(!ours.matches(message, from: from.identityKeys.curve25519))
            }
        }
        #expect(try ours.decrypt(first) == bytes("first"))
    }

    @Test func whatIsNoKeyIsAnError() throws {
        let (from, to, theirs) = try driver.pair()
        let first = try theirs.encrypt(bytes("first"))
        let good = to.identityKeys.curve25519
        for text in hostileTexts where Base64.decode(text)?.count != 32 {
            #expect(throws: OlmError.self) { try from.outboundSession(with: text, oneTimeKey: good) }
            #expect(throws: OlmError.self) { try from.outboundSession(with: good, oneTimeKey: text) }
            #expect(throws: OlmError.self) { try to.inboundSession(from: text, message: first) }
        }
    }

    @Test func everyCutAndEveryBentByteOfAMessageIsAnError() throws {
        let (from, to, theirs) = try driver.pair()
        let first = try theirs.encrypt(bytes("first"))
        let ours = try to.inboundSession(from: from.identityKeys.curve25519, message: first)
        let whole = try #require(Base64.decode(first.body))
        for place in whole.indices {
            let cut = OlmMessage(type: 0, body: Base64.encode(Array(whole.prefix(place))))
            #expect(throws: OlmError.self) { try ours.decrypt(cut) }
            _ = try? to.inboundSession(from: from.identityKeys.curve25519, message: cut)
            var bent = whole
            bent[place] ^= 0xff
            let message = OlmMessage(type: 0, body: Base64.encode(bent))
            if let other = try? to.inboundSession(from: from.identityKeys.curve25519, message: message) {
                #expect((try? other.decrypt(message)) != bytes("firsT"))
            }
            _ = try? ours.decrypt(OlmMessage(type: 1, body: message.body))
        }
        #expect(try ours.decrypt(first) == bytes("first"))
    }
}
