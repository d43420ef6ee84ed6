import Base
import Bot
import Chat
import GiphySearch
import Libolm

/// What is allowed and yet perhaps not meant.
struct SettingsAdvice {
    private let settings: Settings
    private let libolmTrouble: () -> String?

    /// The library is looked for only where an account encrypts.
    init(_ settings: Settings, libolmTrouble: @escaping () -> String? = { LibolmDriver.trouble }) {
        self.settings = settings
        self.libolmTrouble = libolmTrouble
    }

    var lines: [String] {
        settings.networks.flatMap { network in
            network.advice(settings.program).map { "\(network.name): \($0)" }
        } + libraries + images
    }

    private var libraries: [String] {
        let accounts = settings.networks.filter(\.encrypts)
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
        let asked = settings.networks.filter { type(of: $0).kind.showsMedia }.flatMap { $0.places }
        let found = asked.filter { holds(settings.bot.settings(for: $0)) }
        guard !found.isEmpty else { return nil }
        if found.count == asked.count { return "every room" }
        let names = found.map { $0.isRest ? "\($0.text)'s others" : $0.conversation.name }
        return names.count > 4
            ? "\(names[0]), \(names[1]) and \(names.count - 2) more" : names.joined(separator: ", ")
    }
}
