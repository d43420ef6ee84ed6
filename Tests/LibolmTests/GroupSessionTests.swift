import Libolm
import MatrixCrypto
import Testing

@Suite struct GroupSessionTests {
    @Test func everybodyWithTheKeyReadsInAnyOrder() throws {
        let ours = try driver.makeOutboundGroupSession()
        let theirs = try driver.inboundGroupSession(sessionKey: try ours.sessionKey())
        #expect(theirs.id == ours.id && theirs.firstKnownIndex == 0)
        let messages = try (0..<20).map { try ours.encrypt(bytes("number \($0)")) }
        #expect(ours.messageIndex == 20)
        for number in [5, 19, 0, 7, 1, 18, 5] {
            let read = try theirs.decrypt(messages[number])
            #expect(read == GroupPlaintext(bytes: bytes("number \(number)"), index: UInt32(number)))
        }
        #expect(try theirs.decrypt(ours.encrypt([])).bytes == [])
        let large = [UInt8](repeating: 65, count: 100_000)
        #expect(try theirs.decrypt(ours.encrypt(large)).bytes == large)
    }

    @Test func aKeyGivenLateOpensNothingEarlier() throws {
        let ours = try driver.makeOutboundGroupSession()
        let early = try ours.encrypt(bytes("early"))
        let theirs = try driver.inboundGroupSession(sessionKey: try ours.sessionKey())
        #expect(theirs.firstKnownIndex == 1)
        #expect { try theirs.decrypt(early) } throws: { ($0 as? OlmError)?.reason == .unknownMessageIndex }
        #expect(try theirs.decrypt(ours.encrypt(bytes("now"))).bytes == bytes("now"))
    }

    @Test func sessionsGoOnFromTheirPickles() throws {
        let ours = try driver.makeOutboundGroupSession()
        let theirs = try driver.inboundGroupSession(sessionKey: try ours.sessionKey())
        _ = try ours.encrypt(bytes("one"))
        let (out, back) = (try ours.pickle(key: pickleKey), try theirs.pickle(key: pickleKey))
        let oursAgain = try driver.outboundGroupSession(from: out, key: pickleKey)
        let theirsAgain = try driver.inboundGroupSession(from: back, key: pickleKey)
        #expect(oursAgain.id == ours.id && oursAgain.messageIndex == 1 && theirsAgain.id == theirs.id)
        #expect(try theirsAgain.decrypt(oursAgain.encrypt(bytes("two"))).index == 1)
        for make in [
            { _ = try driver.outboundGroupSession(from: out, key: []) },
            { _ = try driver.inboundGroupSession(from: back, key: []) },
        ] {
            #expect { try make() } throws: { ($0 as? OlmError)?.reason == .wrongPickleKey }
        }
    }

    @Test func whatIsNoKeyOrNoMessageIsAnError() throws {
        let ours = try driver.makeOutboundGroupSession()
        let theirs = try driver.inboundGroupSession(sessionKey: try ours.sessionKey())
        for text in hostileTexts {
            #expect { try driver.inboundGroupSession(sessionKey: text) } throws: {
                ($0 as? OlmError)?.reason == .badKey
            }
            #expect(throws: OlmError.self) { try theirs.decrypt(text) }
        }
        let other = try driver.makeOutboundGroupSession()
        #expect { try theirs.decrypt(other.encrypt(bytes("x"))) } throws: { ($0 as? OlmError)?.reason == .badMessage }
    }

    @Test func everyCutAndEveryBentByteIsAnError() throws {
        let ours = try driver.makeOutboundGroupSession()
        let key = try #require(Base64.decode(try ours.sessionKey()))
        let theirs = try driver.inboundGroupSession(sessionKey: try ours.sessionKey())
        let message = try #require(Base64.decode(try ours.encrypt(bytes("message"))))
        for place in message.indices {
            #expect(throws: OlmError.self) { try theirs.decrypt(Base64.encode(Array(message.prefix(place)))) }
            var bent = message
            bent[place] ^= 0x55
            #expect(throws: OlmError.self) { try theirs.decrypt(Base64.encode(bent)) }
        }
        for place in key.indices {
            #expect(throws: OlmError.self) {
                try driver.inboundGroupSession(sessionKey: Base64.encode(Array(key.prefix(place))))
            }
            var bent = key
            bent[place] ^= 0x55
            #expect(throws: OlmError.self) { try driver.inboundGroupSession(sessionKey: Base64.encode(bent)) }
        }
        #expect(try theirs.decrypt(Base64.encode(message)).bytes == bytes("message"))
    }
}
