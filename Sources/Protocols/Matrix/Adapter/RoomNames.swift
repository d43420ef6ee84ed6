/// How rooms are called in settings and limits: as configured, where there is an entry; an upgraded room as the one it
/// came from (BUG-18); else by id.
struct RoomNames {
    private static let longestChain = 10
    private static let maximumUpgrades = 1000

    private var configured: [String: String] = [:]
    private var aliases: Set<String> = []
    /// From a room to the one it replaced.
    private var origins: [String: String] = [:]

    /// Takes the names in the config; what was found out about rooms stays.
    mutating func configure(_ names: [String]) {
        let known = configured.filter { names.contains($0.value) }
        configured = known
        for name in names where name.hasPrefix("!") { configured[name] = name }
        aliases = Set(names.filter { $0.hasPrefix("#") })
    }

    var unresolvedAliases: [String] {
        aliases.subtracting(configured.values).sorted()
    }

    /// Every configured room whose id is known.
    var rooms: [String] { configured.keys.sorted() }

    /// An entry that gives the id itself counts more than one by alias.
    mutating func resolved(_ alias: String, to room: String) {
        guard aliases.contains(alias), configured[room] == nil else { return }
        configured[room] = alias
    }

    /// A room with an entry, or one that came out of such a room, isn't taken over by another that claims to be its
    /// origin.
    mutating func upgraded(_ old: String, to new: String) {
        guard old != new, origins.count < Self.maximumUpgrades else { return }
        if origins[new] != nil, configuredName(of: new) != nil, configuredName(of: old) == nil { return }
        origins[new] = old
    }

    func name(of room: String) -> String {
        configuredName(of: room) ?? room
    }

    func isConfigured(_ room: String) -> Bool {
        configuredName(of: room) != nil
    }

    private func configuredName(of room: String) -> String? {
        var room = room
        for _ in 0..<Self.longestChain {
            if let name = configured[room] { return name }
            guard let origin = origins[room] else { return nil }
            room = origin
        }
        return nil
    }
}
