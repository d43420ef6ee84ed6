import Foundation
import JSON
import MatrixCrypto
import OpenSSL
import TestSupport
import Testing

@Suite struct AttachmentTests {
    private let cipher = AttachmentCipher(
        random: randomBytes, aes256CTR: { AES256CTR.apply(key: $0, iv: $1, to: $2) }, sha256: { SHA256.hash($0) })
    private let gif = Array("GIF89a and what follows".utf8)

    @Test func whatIsSealedOpens() throws {
        for plain in [gif, [], randomBytes(100_000)] {
            let sealed = try #require(cipher.seal(plain))
            #expect(sealed.ciphertext.count == plain.count)
            #expect(cipher.open(sealed.ciphertext, sealed.file) == plain)
        }
    }

    @Test func theSameFileIsAnotherEachTime() throws {
        let sealed = try (0..<20).map { _ in try #require(cipher.seal(gif)) }
        #expect(Set(sealed.map(\.file.key)).count == 20)
        #expect(Set(sealed.map(\.file.iv)).count == 20)
        #expect(Set(sealed.map(\.ciphertext)).count == 20)
        #expect(sealed.allSatisfy { $0.file.iv.suffix(8) == [0, 0, 0, 0, 0, 0, 0, 0] })
    }

    @Test func itsFormIsTheSpecs() throws {
        let sealed = try #require(cipher.seal(gif))
        let json = sealed.file.json(url: "mxc://example.org/abc")
        #expect(json["v"] == "v2" && json["url"] == "mxc://example.org/abc")
        #expect(json["key"]?["kty"] == "oct" && json["key"]?["alg"] == "A256CTR" && json["key"]?["ext"] == true)
        #expect(json["key"]?["key_ops"] == ["encrypt", "decrypt"])
        #expect(json["key"]?["k"]?.string.flatMap { Base64.decode($0, .urlSafe) }?.count == 32)
        let texts = [json["key"]?["k"]?.string, json["iv"]?.string, json["hashes"]?["sha256"]?.string]
        for text in texts { #expect(try #require(text).utf8.contains(UInt8(ascii: "=")) == false) }
        #expect(EncryptedFile(json) == sealed.file)
    }

    @Test func aBentByteOrKeyIsNoticed() throws {
        let sealed = try #require(cipher.seal(gif))
        for place in sealed.ciphertext.indices {
            var bent = sealed.ciphertext
            bent[place] ^= 1
            #expect(cipher.open(bent, sealed.file) == nil)
        }
        #expect(cipher.open(Array(sealed.ciphertext.dropLast()), sealed.file) == nil)
    }

    @Test(
        arguments: [
            ("v", JSONValue("v1")), ("v", nil), ("key", nil), ("iv", "AAAA"), ("iv", 7), ("iv", nil), ("hashes", nil),
            ("hashes", ["sha256": "AAAA"]), ("key", ["kty": "RSA"]), ("key", [:]),
        ] as [(String, JSONValue?)]) func anotherFormIsRefused(_ name: String, _ value: JSONValue?) throws
    {
        guard var object = try #require(cipher.seal(gif)).file.json(url: "mxc://a/b").object else { return }
        object[name] = value
        #expect(EncryptedFile(.object(object)) == nil)
    }

    @Test(
        arguments: [
            ("kty", JSONValue("RSA")), ("alg", "A128CTR"), ("ext", false), ("key_ops", ["encrypt"]), ("k", "AAAA"),
            ("k", nil), ("k", "\u{0}"), ("key_ops", nil), ("key_ops", 3),
        ] as [(String, JSONValue?)]) func anotherKeyIsRefused(_ name: String, _ value: JSONValue?) throws
    {
        guard var object = try #require(cipher.seal(gif)).file.json(url: "mxc://a/b").object,
            var key = object["key"]?.object
        else { return }
        key[name] = value
        object["key"] = .object(key)
        #expect(EncryptedFile(.object(object)) == nil)
    }

    @Test(.enabled(if: VodozemacSide.isWanted)) func anotherImplementationReadsAndIsRead() throws {
        let other = try VodozemacSide()
        for plain in [gif, randomBytes(5000)] {
            let sealed = try #require(cipher.seal(plain))
            let json = sealed.file.json(url: "mxc://a/b")
            let read = try other.text(
                "decrypt_file", Base64.encode(sealed.ciphertext), try #require(json["key"]?["k"]?.string),
                try #require(json["hashes"]?["sha256"]?.string), try #require(json["iv"]?.string))
            #expect(Base64.decode(read) == plain)

            let theirs = try other.fields("encrypt_file", Base64.encode(plain))
            let file = try JSONSerialization.data(withJSONObject: try #require(theirs["file"]))
            let opened = try #require(EncryptedFile(try JSONValue(parsing: [UInt8](file))))
            let ciphertext = try #require((theirs["cipher"] as? String).flatMap { Base64.decode($0) })
            #expect(cipher.open(ciphertext, opened) == plain)
        }
    }
}
