public import MatrixCrypto

/// What a sync brought that somebody has to act on.
public enum SyncEffect: Equatable, Sendable {
    case message(RoomMessage)
    /// An event was taken back, before or after it was seen.
    case redacted(RoomRedaction)
    /// Its sender changed the words of an earlier message; the id is that of the earlier one.
    case edited(RoomMessage)
    case reacted(RoomReaction)
    case invited(Invite)
    /// The account is in this room now and was not before.
    case joined(room: String)
    /// It was in the room, or invited, and is no more.
    case left(room: String)
    /// Nobody else is in the room or invited to it. Told when it becomes so, or is first seen.
    case alone(room: String)
    /// A person left a room, or was banned from it.
    case parted(user: String, room: String)
    /// What was a talk of two may be none any more: a third one came, or what happened there wasn't told whole.
    case crowded(room: String)
    /// A room that turned out to be a space (`m.space`): told when it is first seen.
    case space(room: String)
    /// Told once per room and run, and again when how it is encrypted changes.
    case encrypted(room: String)
    /// Who may read in an encrypted room from now on isn't who could before: somebody left, the history's visibility changed,
    /// or it isn't known. The next message begins a new session ("m.megolm.v1.aes-sha2").
    case readersChanged(room: String)
    case upgraded(Upgrade)
    /// A message of somebody who verifies this account, or another one in the room.
    case verification(VerificationMessage)
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

/// Somebody took an event back, which the homeserver let them do.
public struct RoomRedaction: Equatable, Sendable {
    public let room: String
    /// What was taken back.
    public let event: String
    public let sender: String
    /// Power level of the sender.
    public let level: Int
    public let isDirect: Bool
}

/// A mark that somebody put on an event ("Event annotations and reactions").
public struct RoomReaction: Equatable, Sendable {
    public let id: String
    public let room: String
    /// What it was put on.
    public let event: String
    public let mark: String
    public let sender: String
    /// Power level of the sender.
    public let level: Int
    public let isDirect: Bool
    /// Milliseconds, by the homeserver's reckoning.
    public let age: Int64?
    /// Milliseconds since 1970, by the word of the sender's server.
    public let originTime: Int64?
}

/// A room went on as another one. Told once per room and replacement.
public struct Upgrade: Equatable, Sendable {
    public let room: String
    public let replacement: String
    /// Who did it; that person's server knows the new room.
    public let sender: String
    /// It happened since the last answer; else it may have been followed long ago.
    public let isNews: Bool

    public init(room: String, replacement: String, sender: String, isNews: Bool) {
        self.room = room
        self.replacement = replacement
        self.sender = sender
        self.isNews = isNews
    }
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
