import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import Libolm
import MatrixAdapter

/// What is allowed and yet perhaps not meant.
struct SettingsAdvice {
    private let settings: Settings
    private let libolmTrouble: () -> String?

    /// The library is looked for only where an account encrypts.
    init(_ settings: Settings, libolmTrouble: @escaping () -> String? = { LibolmDriver.trouble }) {
        self.settings = settings
        self.libolmTrouble = libolmTrouble
    }

    var lines: [String] { admins + passwords + libraries + images }

    private var admins: [String] {
        let irc = settings.irc.compactMap { network -> String? in
            guard !settings.section.admins(of: network.name).isEmpty else {
                return "\(network.name): no bot admin is named, so nobody can administer the bot from there"
            }
            let connection = network.connection
            guard connection.login == nil, connection.nickserv == nil else { return nil }
            return
                "\(network.name): the bot doesn't log in; on a network without services nobody can be known as a bot admin"
        }
        let hasMatrixAdmins = !settings.section.matrixAdmins.isEmpty
        let matrix = settings.matrix.filter { _ in !hasMatrixAdmins }.map {
            "\($0.name): no Matrix user is named as a bot admin, so nobody can administer the bot from there"
        }
        return irc + matrix
    }

    private var passwords: [String] {
        settings.irc.compactMap { network in
            let connection = network.connection
            guard connection.endpoint.tls == nil, connection.login != nil else { return nil }
            return "\(network.name): the login goes in plain text, which is allowed to a loopback address alone"
        }
    }

    private var libraries: [String] {
        let accounts = settings.matrix.filter(\.encryption)
        guard !accounts.isEmpty, let trouble = libolmTrouble() else { return [] }
        return accounts.map { "\($0.name): encrypted rooms will be left alone: \(trouble)" }
    }

    private var images: [String] {
        settings.search.sources.compactMap { source in
            guard !source.policy.mayCopyFiles else { return nil }
            let rooms = places { $0.media == .image && $0.providers?.contains(source.name) ?? true }
            return rooms.map {
                "media: image of \($0): \(source.name) allows no copy of its files, so its answers are links"
            }
        }
    }

    /// The rooms of which it holds, in a few words; nil where there is none.
    private func places(_ holds: (ChannelSettings) -> Bool) -> String? {
        let asked = settings.matrix.flatMap { account in
            (account.rooms + [""]).map { Conversation(network: account.name, name: $0, isDirect: false) }
        }
        let found = asked.filter { holds(settings.bot.settings(for: $0)) }
        guard !found.isEmpty else { return nil }
        if found.count == asked.count { return "every room" }
        let names = found.map { $0.name.isEmpty ? "\($0.network)'s others" : $0.name }
        return names.count > 4
            ? "\(names[0]), \(names[1]) and \(names.count - 2) more" : names.joined(separator: ", ")
    }
}
