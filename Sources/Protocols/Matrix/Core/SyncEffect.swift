/// What a sync brought that somebody has to act on.
public enum SyncEffect: Equatable, Sendable {
    case message(RoomMessage)
    /// An event was taken back, before or after it was seen.
    case redacted(event: String, room: String)
    case invited(Invite)
    /// The account is in this room now and was not before.
    case joined(room: String)
    /// It was in the room, or invited, and is no more.
    case left(room: String)
    /// Told once per room.
    case encrypted(room: String)
    /// Told once per room and replacement. `sender` upgraded it, so that person's server knows the new room.
    case upgraded(room: String, to: String, by: String)
}

/// A text that a person wrote, not yet read as a command.
public struct RoomMessage: Equatable, Sendable {
    public let id: String
    public let room: String
    public let sender: String
    /// Power level of the sender when the message came.
    public let level: Int
    public let isDirect: Bool
    public let body: String
    /// HTML, if there is any.
    public let formattedBody: String?
    public let mentions: [String]
    public let isReply: Bool
    /// The first event of the thread that it is in.
    public let thread: String?
    /// Milliseconds, by the homeserver's reckoning.
    public let age: Int64?
    /// Milliseconds since 1970, by the word of the sender's server.
    public let originTime: Int64?
    /// The account's own name in the room, if it was seen.
    public let ownName: String?
}

public struct Invite: Equatable, Sendable {
    public let room: String
    public let inviter: String
    public let isDirect: Bool
    public let isSpace: Bool

    public init(room: String, inviter: String, isDirect: Bool, isSpace: Bool) {
        self.room = room
        self.inviter = inviter
        self.isDirect = isDirect
        self.isSpace = isSpace
    }
}
