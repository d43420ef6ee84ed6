/// The text of a first config, out of the answers to a few questions.
enum FirstConfig {
    /// Nil when the answers end too early.
    static func ask(_ talk: inout Questions) -> String? {
        guard let wantsIRC = talk.askYes("Shall the bot be on IRC?", default: true) else { return nil }
        var irc: Network?
        if wantsIRC {
            guard let network = askIRC(&talk) else { return nil }
            irc = network
        }
        guard let wantsMatrix = talk.askYes("Shall the bot be on Matrix?", default: !wantsIRC) else { return nil }
        var matrix: Network?
        if wantsMatrix {
            guard let network = askMatrix(&talk) else { return nil }
            matrix = network
        }
        guard let source = askSource(&talk) else { return nil }
        let admins = [irc, matrix].compactMap { $0?.admin }.map(quoted).joined(separator: ", ")
        return """
            # gifbot's settings. Every key that is left out has its default; bot.yaml.example in the source shows them all.
            # `gifbot check` tells what is wrong with this file and what is in force.

            bot:
              # Who may administer the bot: network/services-account, or a Matrix user id.
              admins: [\(admins)]
              # Where the bot keeps what it must remember.
              state: ./state

            # What holds everywhere, unless a network or a channel says otherwise.
            defaults:
              rating: g                     # g, pg, pg-13 or r
              limits: {user: 5/1m, channel: 10/1m, global: 60/1m}

            \(irc.map { $0.text } ?? "# irc: none asked for\n")
            \(matrix.map { $0.text } ?? "# matrix: none asked for\n")
            \(source)
            """
    }

    private struct Network {
        let text: String
        let admin: String?
    }

    // MARK: IRC

    private static func askIRC(_ talk: inout Questions) -> Network? {
        guard let host = talk.ask("IRC server", default: "irc.libera.chat", isGood: plainWord),
            let name = talk.ask("A short name for this network", default: shortName(of: host), isGood: networkName),
            let nick = talk.ask("The bot's nick", default: "gifbot", isGood: plainWord),
            let account = talk.ask("The bot's services account, if it has one (empty: none)", isGood: optionalWord)
        else { return nil }
        var login = ""
        if !account.isEmpty {
            guard let password = talk.askSecret("Its password, or ${NAME} of an environment variable") else {
                return nil
            }
            if !password.isEmpty { login = "\n    sasl: {username: \(quoted(account)), password: \(quoted(password))}" }
        }
        guard
            let channels = talk.ask("Channels, with spaces between", default: "#gifbot-test", isGood: Self.channels),
            let admin = talk.ask(
                "Your own services account there, to administer the bot (empty: nobody)", isGood: optionalWord)
        else { return nil }
        let list = channels.split(separator: " ").map { quoted(String($0)) }.joined(separator: ", ")
        let text = """
            irc:
              - name: \(quoted(name))
                host: \(quoted(host))
                # TLS with verification, on port 6697, is the default.
                nick: \(quoted(nick))\(login)
                # A name that starts with # must stand in quotes.
                channels: [\(list)]

            """
        return Network(text: text, admin: admin.isEmpty ? nil : "\(name)/\(admin)")
    }

    private static func shortName(of host: String) -> String {
        let parts = host.split(separator: ".")
        let name = parts.count > 2 ? parts[1] : parts.first ?? "irc"
        return String(name)
    }

    // MARK: Matrix

    private static func askMatrix(_ talk: inout Questions) -> Network? {
        guard
            let user = talk.ask("The bot's Matrix user id, such as @gifbot:example.org", isGood: Self.userID),
            let server = talk.ask("Its homeserver", default: "https://" + Self.server(of: user), isGood: secureAddress),
            let password = talk.askSecret("Its password, or ${NAME} of an environment variable"),
            let admin = talk.ask(
                "Your own user id, to administer the bot (empty: nobody)", isGood: { $0.isEmpty ? nil : userID($0) })
        else { return nil }
        let text = """
            matrix:
              - name: matrix
                homeserver: \(quoted(server))
                user: \(quoted(user))
                # Used once; what it gives is kept in the state folder.
                password: \(quoted(password))
                # Who may bring the bot into a room: admins, anyone, never, or a list of servers.
                invites: {accept: \(admin.isEmpty ? "never" : "admins")}

            """
        return Network(text: text, admin: admin.isEmpty ? nil : admin)
    }

    private static func server(of user: String) -> String {
        user.split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
    }

    // MARK: Sources

    private static func askSource(_ talk: inout Questions) -> String? {
        guard
            let key = talk.askSecret(
                "A GIPHY key, or ${NAME} of an environment variable (empty: the samples inside the program)")
        else { return nil }
        guard !key.isEmpty else {
            return """
                # Without a search section the samples inside the program are the source:
                # search:
                #   providers: [giphy]
                #   giphy: {key: "${GIPHY_KEY}"}     # your own, from developers.giphy.com

                """
        }
        return """
            search:
              providers: [giphy]
              giphy:
                key: \(quoted(key))
                budget: 100/1h              # calls really sent, over all channels

            """
    }

    // MARK: Answers

    /// In YAML's double quotes, so that every character stays what it is.
    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
                let hex = String(scalar.value, radix: 16)
                out += "\\x" + String(repeating: "0", count: 2 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func plainWord(_ text: String) -> String? {
        text.isEmpty || text.contains(" ") ? "one word, please" : nil
    }

    private static func optionalWord(_ text: String) -> String? {
        text.contains(" ") ? "one word, or nothing" : nil
    }

    private static func networkName(_ text: String) -> String? {
        text.contains("/") ? "a name without a slash, please" : plainWord(text)
    }

    private static func channels(_ text: String) -> String? {
        let names = text.split(separator: " ")
        let isGood = names.allSatisfy { name in
            name.first.map { "#&+!".contains($0) } == true && !name.contains(",") && name.utf8.count > 1
        }
        let isOnce = Set(names.map { $0.lowercased() }).count == names.count
        return isGood && isOnce ? nil : "names such as #cats, each once, with spaces between"
    }

    private static func userID(_ text: String) -> String? {
        let parts = text.dropFirst().split(separator: ":", maxSplits: 1)
        return text.hasPrefix("@") && parts.count == 2 && !text.contains(" ")
            ? nil : "a full id such as @gifbot:example.org"
    }

    private static func secureAddress(_ text: String) -> String? {
        text.hasPrefix("https://") && text.count > 8 && !text.contains(" ")
            ? nil : "an address such as https://matrix.example.org"
    }
}
