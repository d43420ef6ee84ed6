import Foundation
import IRC
import Testing

/// The shared vectors of ircdocs/parser-tests; see Vectors/README.md.
struct Vectors<Case: Decodable>: Decodable {
    let tests: [Case]

    static func load(_ name: String) throws -> [Case] {
        let url = try #require(Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json"))
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: url)).tests
    }
}

struct Atoms: Decodable {
    var tags: [String: String]?
    var source: String?
    var verb: String?
    var params: [String]?
    var nick: String?
    var user: String?
    var host: String?

    var message: IRCMessage {
        IRCMessage(
            verb ?? "", params ?? [], source: source,
            tags: (tags ?? [:]).sorted { $0.key < $1.key }.map { IRCMessage.Tag($0.key, $0.value) })
    }
}
