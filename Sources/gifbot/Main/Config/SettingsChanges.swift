import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter

/// What a reload changes, in words for a log line and for the admin who asked.
struct SettingsChanges {
    let items: [String]

    private static let most = 12

    init(from old: Settings, to new: Settings) {
        items =
            Self.networks(old, new) + Self.channels(old, new) + Self.people(old, new)
            + Self.search(old.search, new.search)
            + Self.program(old, new)
    }

    var text: String {
        guard !items.isEmpty else { return "nothing changed" }
        let shown = items.prefix(Self.most).joined(separator: "; ")
        return items.count > Self.most ? "\(shown); and \(items.count - Self.most) more" : shown
    }

    // MARK: Networks

    private static func networks(_ old: Settings, _ new: Settings) -> [String] {
        let irc = changes(old.irc, new.irc, name: \.name) { before, now in
            if now.needsReconnect(comparedTo: before) { return "connects anew" }
            let rooms = moves(before.channels.map(\.name), now.channels.map(\.name), in: "joins", out: "leaves")
            return rooms ?? (now.isSame(as: before) ? nil : "other settings")
        }
        let matrix = changes(old.matrix, new.matrix, name: \.name) { before, now in
            if !now.isSameSession(as: before) { return "signs in anew" }
            // A room may let nobody in a second time, so none is left by leaving it out.
            return moves(before.rooms, now.rooms, in: "enters", out: "stays in, by invitation,")
                ?? (now == before ? nil : "other settings")
        }
        return irc + matrix
    }

    private static func changes<Network>(
        _ old: [Network], _ new: [Network], name: (Network) -> String, _ change: (Network, Network) -> String?
    ) -> [String] {
        let gone = old.filter { before in !new.contains { name($0) == name(before) } }.map { "\(name($0)): removed" }
        let others = new.compactMap { now -> String? in
            guard let before = old.first(where: { name($0) == name(now) }) else { return "\(name(now)): added" }
            return change(before, now).map { "\(name(now)): \($0)" }
        }
        return gone + others
    }

    private static func moves(_ old: [String], _ new: [String], in enters: String, out leaves: String) -> String? {
        // Sets, since a config may name thousands and this runs on the loop.
        let (before, now) = (Set(old), Set(new))
        let come = new.filter { !before.contains($0) }
        let go = old.filter { !now.contains($0) }
        let parts = [(enters, come), (leaves, go)].filter { !$0.1.isEmpty }
        return parts.isEmpty ? nil : parts.map { "\($0) \($1.joined(separator: " "))" }.joined(separator: ", ")
    }

    // MARK: Channel settings

    /// Where every place on all networks changes in the same keys, it's said once.
    private static func channels(_ old: Settings, _ new: Settings) -> [String] {
        var found: [(place: String, keys: [String])] = []
        let known = Set(old.places)
        for place in new.places where known.contains(place) {
            let before = old.bot.settings(for: place).rows
            let now = new.bot.settings(for: place).rows
            let keys = zip(before, now).filter { $0 != $1 }.map(\.1.key)
            found.append((place.name.isEmpty ? place.network : "\(place.network)/\(place.name)", keys))
        }
        guard let first = found.first?.keys else { return [] }
        if found.allSatisfy({ $0.keys == first }) {
            return first.isEmpty ? [] : ["everywhere: \(first.joined(separator: ", "))"]
        }
        return found.filter { !$0.keys.isEmpty }.map { "\($0.place): \($0.keys.joined(separator: ", "))" }
    }

    // MARK: The rest

    private static func people(_ old: Settings, _ new: Settings) -> [String] {
        var items: [String] = []
        if old.section.admins != new.section.admins { items.append("admins") }
        if old.section.ignored != new.section.ignored { items.append("who is ignored") }
        if old.section.exempt != new.section.exempt { items.append("who is exempt from limits") }
        return items
    }

    private static func search(_ old: SearchSettings, _ new: SearchSettings) -> [String] {
        var items: [String] = []
        let names = new.sources.map(\.name)
        if old.sources.map(\.name) != names { items.append("sources: \(names.joined(separator: ", "))") }
        for source in new.sources {
            if let before = old.sources.first(where: { $0.name == source.name }), before != source {
                items.append("\(source.name): other settings")
            }
        }
        if old.cacheEntries != new.cacheEntries { items.append("cache") }
        return items
    }

    private static func program(_ old: Settings, _ new: Settings) -> [String] {
        var items: [String] = []
        if old.log != new.log { items.append("log") }
        if old.section.state != new.section.state { items.append("state: only at the next start") }
        return items
    }
}

extension Settings {
    /// Every place with settings of its own; one without a name stands for the rest of its network.
    fileprivate var places: [Conversation] {
        irc.flatMap { network in places(network.name, network.channels.map(\.name)) }
            + matrix.flatMap { account in places(account.name, account.rooms) }
    }

    private func places(_ network: String, _ names: [String]) -> [Conversation] {
        (names + [""]).map { Conversation(network: network, name: $0, isDirect: false) }
    }
}
