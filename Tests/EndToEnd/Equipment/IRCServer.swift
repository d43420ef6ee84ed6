import Testing

/// A kind of server that the bot may meet, and how it is let in there.
struct IRCServer: Sendable, CustomTestStringConvertible {
    let name: String
    var options: [String] = []
    /// What everybody says first.
    var password = ""
    var hasServices = false

    /// atheme signs the bot in by SASL.
    static let inspircd = IRCServer(name: "inspircd", hasServices: true)
    /// Neither SASL nor services; it can ask for a password.
    static let ngircd = IRCServer(name: "ngircd", options: ["--password", "lab-door"], password: "lab-door")
    /// Debian's has no SASL, and Debian's atheme does not speak its protocol: no login at all.
    static let hybrid = IRCServer(name: "hybrid")

    static let all = [inspircd, ngircd, hybrid]

    var testDescription: String { name }

    /// A server of the test's own, so that it can be lost.
    func start() async throws -> ServerScript {
        _ = try Places.require("unpacked/usr/sbin")
        return try await .kept(name + ".py", options)
    }

    /// The lines of a network in bot.yaml that log in.
    func login(_ server: ServerScript) -> [String] {
        if hasServices {
            let account = "username: \(server["ACCOUNT"]), password: \"\(server["PASSWORD"])\""
            return ["sasl: {mechanism: plain, \(account)}"]
        }
        return password.isEmpty ? [] : ["password: \"\(password)\""]
    }

    func peer(_ nick: String, on server: ServerScript) async throws -> IRCPeer {
        try await IRCPeer(nick: nick, port: server.number("PORT"), password: password)
    }
}
