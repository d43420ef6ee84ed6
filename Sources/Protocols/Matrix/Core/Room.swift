public import MatrixCrypto

/// What is known of a room that the account is in.
public struct Room: Equatable, Sendable {
    /// The level of people who made a room of version 12 or later: above every number ("Room version 12").
    public static let creatorLevel = Int.max

    public internal(set) var isEncrypted = false
    /// How it is encrypted; nil too when that is by no algorithm known here.
    public private(set) var encryption: RoomEncryption?
    /// "m.room.history_visibility"; what it is without one.
    public private(set) var historyVisibility = "shared"
    /// A collection of rooms, not one to talk in ("Spaces").
    public private(set) var isSpace = false
    /// Where the room went on after an upgrade.
    public internal(set) var replacement: String?
    /// The room that this one says it continues.
    public private(set) var predecessor: String?
    /// How this account is called here, where that differs from its profile or was seen at all.
    public internal(set) var ownName: String?
    /// Members and invited people together; nil until the server says.
    public internal(set) var peopleCount: Int?

    var wasInvitedAsDirect = false
    private var joinedCount: Int?
    private var invitedCount: Int?
    private var creators: [String] = []
    private var creatorsStandAbove = false
    private var hasLevels = false
    private var levels = EventContent()

    /// Clear text may be sent: the room's state was seen, and it has no encryption in it.
    public var isPlain: Bool { isKnown && !isEncrypted }

    /// The room's state was seen. Before that nobody can tell whether it is encrypted.
    public var isKnown: Bool { !creators.isEmpty }

    /// Talking with one other person. The count decides where it is known: a third one may have come since the invite.
    public var isDirect: Bool {
        peopleCount == nil ? wasInvitedAsDirect : isOfTwo
    }

    /// Nobody but one other person can read here. What an invitation called the room is no proof of that.
    public var isOfTwo: Bool { peopleCount.map { $0 <= 2 } ?? false }

    /// Nobody to talk with.
    public var isDeserted: Bool { peopleCount.map { $0 <= 1 } ?? false }

    /// Users' levels ("m.room.power_levels"): without such an event the creator has 100 and all others 0.
    public func level(of user: String) -> Int {
        if creators.contains(user) {
            if creatorsStandAbove { return Self.creatorLevel }
            if !hasLevels { return 100 }
        }
        return levels.levels[user] ?? levels.defaultLevel ?? 0
    }

    /// Whether a message of this user would be let through.
    public func maySpeak(_ user: String) -> Bool {
        let needed = isEncrypted ? levels.encryptedLevel : levels.messageLevel
        return level(of: user) >= needed ?? levels.defaultEventLevel ?? 0
    }

    mutating func learn(joined: Int?, invited: Int?) {
        joinedCount = joined ?? joinedCount
        invitedCount = invited ?? invitedCount
        peopleCount = joinedCount.map { max(0, $0) + max(0, invitedCount ?? 0) }
    }

    mutating func forgetCount() {
        joinedCount = nil
        invitedCount = nil
        peopleCount = nil
    }

    mutating func apply(_ event: MatrixEvent, own userID: String) {
        guard let key = event.stateKey else { return }
        switch event.type {
        case "m.room.create" where key.isEmpty: created(event)
        case "m.room.encryption" where key.isEmpty:
            // Never taken back: whatever a later state says, this one holds.
            isEncrypted = true
            encryption = RoomEncryption(event.content) ?? encryption
        case "m.room.history_visibility" where key.isEmpty:
            historyVisibility = event.content.historyVisibility ?? "shared"
        case "m.room.power_levels" where key.isEmpty:
            hasLevels = true
            levels = event.content
        case "m.room.tombstone" where key.isEmpty: replacement = event.content.replacement
        case "m.room.member" where key == userID && event.content.membership == "join":
            ownName = event.content.displayName
            if event.previous?.isDirect ?? event.content.isDirect ?? false { wasInvitedAsDirect = true }
        default: break
        }
    }

    private mutating func created(_ event: MatrixEvent) {
        isSpace = event.content.roomType == "m.space"
        predecessor = event.content.predecessor
        creators = [event.sender] + event.content.additionalCreators
        // Versions are opaque; those that are numbers below 12 are the ones with the old rule.
        creatorsStandAbove = event.content.roomVersion.map { Int($0).map { $0 >= 12 } ?? false } ?? false
        if !creatorsStandAbove { creators = [event.sender] }
    }
}
