import Libolm
import MatrixCrypto
import OpenSSL

var driver: LibolmDriver { LibolmDriver(random: randomBytes) }
let pickleKey = [UInt8]("a key of the store, 32 bytes long".utf8)

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// What may come from others instead of a key or a message.
let hostileTexts: [String] = {
    var texts = [
        "", "=", "A", "AA", "AAA", "AAAA", "====", "\u{0}", "AA\u{0}A", "ключ", "!!!!", "not base64 at all", "AwAB",
        "Aw", "AwoA", "AwoB", "AwogAAAA", "AwoggICAgICAgICAgIA", "Awr///////////8B", "AwoK////////////////",
        "AxL/////Dw",
    ]
    let repeated: [(String, Int)] = [
        ("A", 42), ("A", 43), ("A", 44), ("\u{0}", 43), ("!", 43), ("é", 22), ("A", 85), ("A", 86), ("/", 86),
        ("A", 306), ("A", 1 << 20),
    ]
    for (text, count) in repeated { texts.append(String(repeating: text, count: count)) }
    // A version, a tag and a number or length that is far too large.
    for tag in UInt8(0)..<32 {
        texts.append(Base64.encode([3, tag << 3, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]))
        texts.append(Base64.encode([3, tag << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]))
    }
    return texts
}()

extension OlmDriver {
    /// Two accounts and the session that the first began, before its first message.
    func pair() throws -> (from: any OlmAccount, to: any OlmAccount, session: any OlmSession) {
        let (from, to) = (try makeAccount(), try makeAccount())
        try to.generateOneTimeKeys(1)
        let key = try to.unpublishedOneTimeKeys()[0].key
        return (from, to, try from.outboundSession(with: to.identityKeys.curve25519, oneTimeKey: key))
    }
}
