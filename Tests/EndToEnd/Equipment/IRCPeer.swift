import Foundation

/// A line from an IRC server, as far as the tests look at it.
struct IRCLine: Sendable, CustomStringConvertible {
    let description: String
    let nick: String
    let command: String
    let parameters: [String]

    init(_ text: String) {
        description = text
        var rest = Substring(text)
        var source = ""
        if rest.first == ":" {
            source = String(rest.dropFirst().prefix { $0 != " " })
            rest = rest.drop { $0 != " " }.dropFirst()
        }
        nick = String(source.prefix { $0 != "!" })
        var words: [String] = []
        while !rest.isEmpty {
            if rest.first == ":" {
                words.append(String(rest.dropFirst()))
                break
            }
            words.append(String(rest.prefix { $0 != " " }))
            rest = rest.drop { $0 != " " }.drop { $0 == " " }
        }
        command = words.first?.uppercased() ?? ""
        parameters = Array(words.dropFirst())
    }

    var text: String { parameters.last ?? "" }
}

/// A person on IRC: speaks to the server's plain port, answers PING, remembers all lines.
final class IRCPeer: Sendable {
    let nick: String
    private let socket: Socket
    private let heard = Transcript()

    init(nick: String, port: Int, password: String = "") async throws {
        self.nick = nick
        let socket = try Socket(port: port)
        self.socket = socket
        heard.follow(socket.descriptor) { line in
            let parsed = IRCLine(line)
            if parsed.command == "PING" { socket.send("PONG :\(parsed.text)") }
        }
        if !password.isEmpty { socket.send("PASS \(password)") }
        socket.send("NICK \(nick)")
        socket.send("USER \(nick) 0 * :\(nick)")
        try await hear("the welcome") { $0.command == "001" }
    }

    deinit { socket.shutDown() }

    var lines: [IRCLine] { heard.lines.map(IRCLine.init) }
    /// A place in what was heard, to look only at what comes after it.
    var mark: Int { heard.count }

    func send(_ line: String) { socket.send(line) }
    func sendBytes(_ bytes: [UInt8]) { socket.send(bytes) }
    func say(_ text: String, to target: String) { socket.send("PRIVMSG \(target) :\(text)") }

    func join(_ channel: String) async throws {
        send("JOIN \(channel)")
        try await hear("our own JOIN of \(channel)") {
            $0.command == "366" && $0.parameters.dropFirst().first == channel
        }
    }

    @discardableResult
    func hear(
        _ what: String, from mark: Int = 0, within limit: Duration = .seconds(15), _ isIt: (IRCLine) -> Bool
    ) async throws -> IRCLine {
        do {
            return try await eventually(what, within: limit) {
                heard.lines.dropFirst(mark).lazy.map(IRCLine.init).first(where: isIt)
            }
        } catch {
            throw Trouble("\(nick) \(error); heard last:\n" + heard.lines.suffix(12).joined(separator: "\n"))
        }
    }

    func hearJoin(of other: String, from mark: Int = 0, within limit: Duration = .seconds(20)) async throws {
        try await hear("\(other) to join", from: mark, within: limit) { $0.command == "JOIN" && $0.nick == other }
    }

    /// PRIVMSG and NOTICE of somebody, everywhere.
    func messages(of other: String, from mark: Int = 0) -> [IRCLine] {
        lines.dropFirst(mark).filter { $0.nick == other && ["PRIVMSG", "NOTICE"].contains($0.command) }
    }

    /// The next PRIVMSG or NOTICE of somebody.
    func answer(of other: String, from mark: Int, within limit: Duration = .seconds(15)) async throws -> IRCLine {
        try await hear("a message of \(other)", from: mark, within: limit) {
            $0.nick == other && ["PRIVMSG", "NOTICE"].contains($0.command)
        }
    }
}
