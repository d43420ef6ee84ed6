/// How rooms are called in settings and limits: as configured, where there is an entry; an upgraded room as the one it
/// came from; else by id.
struct RoomNames {
    private static let longestChain = 10
    static let maximumUpgrades = 1000

    private var configured: [String: String] = [:]
    private var wanted: Set<String> = []
    /// From a room to the one it replaced.
    private var origins: [String: String] = [:]
    /// The other way: from a room to the one that it went on as.
    private var successors: [String: String] = [:]

    /// Takes the names in the config; what was found out about rooms stays.
    mutating func configure(_ names: [String]) {
        let known = configured.filter { names.contains($0.value) }
        configured = known
        for name in names where name.hasPrefix("!") { configured[name] = name }
        wanted = Set(names.filter { $0.hasPrefix("#") })
    }

    var aliases: [String] { wanted.sorted() }

    var unresolvedAliases: [String] {
        wanted.subtracting(configured.values).sorted()
    }

    /// Every configured room whose id is known, but for those that went on as others: where they went is followed by the sign
    /// that they left.
    var rooms: [String] {
        configured.keys.filter { successors[$0] == nil }.sorted()
    }

    /// An entry that gives the id itself counts more than one by alias. An alias that was moved takes its settings along, and
    /// the room that it pointed at before has none any more, unless the new one came out of it.
    mutating func resolved(_ alias: String, to room: String) {
        guard wanted.contains(alias) else { return }
        configured = configured.filter { $0.value != alias || $0.key == room || newest($0.key) == room }
        if configured[room] == nil { configured[room] = alias }
    }

    /// A room with an entry, or one that came out of such a room, isn't taken over by another that claims to be its
    /// origin. False when that changes nothing.
    @discardableResult
    mutating func upgraded(_ old: String, to new: String) -> Bool {
        guard old != new, origins[new] != old, origins.count < Self.maximumUpgrades else { return false }
        if origins[new] != nil, configuredName(of: new) != nil, configuredName(of: old) == nil { return false }
        origins[new] = old
        successors[old] = new
        return true
    }

    /// The room doesn't say itself that it continues another.
    mutating func disown(_ room: String) {
        guard let origin = origins.removeValue(forKey: room) else { return }
        successors[origin] = nil
    }

    /// What was known of upgrades before a restart, oldest first.
    mutating func restore(_ upgrades: [RoomUpgrade]) {
        for upgrade in upgrades { upgraded(upgrade.from, to: upgrade.to) }
    }

    func origin(of room: String) -> String? { origins[room] }

    /// It takes the place of a room that the account was in.
    func isReplacement(_ room: String) -> Bool { origins[room] != nil }

    /// By its entry in the config; without one, by the room at the beginning of its history.
    func name(of room: String) -> String {
        configuredName(of: room) ?? first(room)
    }

    func isConfigured(_ room: String) -> Bool {
        configuredName(of: room) != nil
    }

    private func newest(_ room: String) -> String {
        var room = room
        for _ in 0..<Self.longestChain {
            guard let next = successors[room] else { break }
            room = next
        }
        return room
    }

    private func first(_ room: String) -> String {
        var first = room
        for _ in 0..<Self.longestChain {
            guard let origin = origins[first] else { return first }
            first = origin
        }
        // A circle, or nearly: no beginning to be found.
        return room
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
