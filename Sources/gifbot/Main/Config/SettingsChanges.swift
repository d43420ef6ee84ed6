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
        let gone = old.networks.filter { new.network(named: $0.name) == nil }.map { "\($0.name): removed" }
        let others = new.networks.compactMap { now -> String? in
            guard let before = old.network(named: now.name) else { return "\(now.name): added" }
            return now.change(fromAny: before).map { "\(now.name): \($0)" }
        }
        return gone + others
    }

    /// Which conversations are new and which are gone; nil where none is.
    static func moves(_ old: [String], _ new: [String], in enters: String, out leaves: String) -> String? {
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
            found.append((place.text, keys))
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
        if old.program.admins != new.program.admins { items.append("admins") }
        if old.program.ignored != new.program.ignored { items.append("who is ignored") }
        if old.program.exempt != new.program.exempt { items.append("who is exempt from limits") }
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
        if old.program.state != new.program.state { items.append("state: only at the next start") }
        return items
    }
}
