import IRC
import Testing

@Suite("Shared vectors of IRC parsers")
struct VectorTests {
    private struct Split: Decodable {
        let input: String
        let atoms: Atoms
    }

    private struct Join: Decodable {
        let atoms: Atoms
        let matches: [String]
    }

    private struct UserHost: Decodable {
        let source: String
        let atoms: Atoms
    }

    private struct MaskMatch: Decodable {
        let mask: String
        let matches: [String]
        let fails: [String]
    }

    @Test func split() throws {
        let cases = try Vectors<Split>.load("msg-split")
        #expect(cases.count == 35)
        for one in cases {
            var message = try #require(IRCMessage(parsing: one.input.utf8))
            message.tags.sort { $0.name < $1.name }
            #expect(message == one.atoms.message, "\(one.input)")
        }
    }

    @Test func join() throws {
        let cases = try Vectors<Join>.load("msg-join")
        #expect(cases.count == 18)
        for one in cases {
            let line = String(decoding: one.atoms.message.encoded().dropLast(2), as: UTF8.self)
            #expect(one.matches.contains(line), "\(line)")
        }
    }

    @Test func userhostSplit() throws {
        let cases = try Vectors<UserHost>.load("userhost-split")
        #expect(cases.count == 7)
        for one in cases {
            let expected = Source(nick: one.atoms.nick ?? "", user: one.atoms.user, host: one.atoms.host)
            #expect(Source(parsing: one.source) == expected)
        }
    }

    @Test func maskMatch() throws {
        let cases = try Vectors<MaskMatch>.load("mask-match")
        #expect(cases.count == 6)
        for one in cases {
            for text in one.matches { #expect(Mask(one.mask).matches(text), "\(one.mask) \(text)") }
            for text in one.fails { #expect(!Mask(one.mask).matches(text), "\(one.mask) \(text)") }
        }
    }
}
