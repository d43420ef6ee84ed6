public import Base
public import Chat

/// What one account remembers over a restart. Reads come from memory; a write is safe on disk soon after.
@Loop public protocol MatrixStore: AnsweredStore {
    /// The `next_batch` up to which everything was handled.
    func syncPosition(of account: String) -> String?
    func save(syncPosition: String?, of account: String)

    /// Rooms that went on as others, oldest first.
    func upgrades(of account: String) -> [RoomUpgrade]
    func save(_ upgrade: RoomUpgrade, of account: String)

    /// A device once logged in, by password or by `gifbot login`: kept in a file of mode 600.
    func session(of account: String) -> StoredSession?
    func save(session: StoredSession?, of account: String)

    /// Returns once everything noted before is on disk; false when it can't be written now.
    func written() async -> Bool

    /// Answers that may still be changed or taken back, oldest first.
    func answers(of account: String) -> [StoredAnswer]
    /// In the place of what is kept of the same command.
    func save(answer: StoredAnswer, of account: String)
    func forget(answer: String, of account: String)

    /// The chat of two where each person was met last, at most `MatrixAdapter.directChatCapacity` of them.
    func directChats(of account: String) -> [String: String]
    /// Nil forgets it.
    func save(directChat room: String?, with user: String, of account: String)

    /// Rooms that were ever seen to be encrypted: by whatever device, and with encryption switched off too.
    func encryptedRooms(of account: String) -> Set<String>
    func save(encryptedRoom room: String, of account: String)

    /// Where a GIF (`giphy:abc`) lies on the account's homeserver, uploaded in clear.
    func upload(of gif: String, by account: String) -> StoredUpload?
    func save(upload: StoredUpload, of gif: String, by account: String)
}

/// An answer in a room.
public struct StoredAnswer: Hashable, Sendable {
    /// The command's event, as a rule.
    public let id: String
    /// Where the command was given.
    public let commandRoom: String
    /// Where the answer is: the same, or a direct chat.
    public let room: String
    public let thread: String?
    public let asker: String
    /// The answer's own event.
    public let event: String
    /// When the homeserver had it.
    public let at: WallTime

    public init(
        id: String, commandRoom: String, room: String, thread: String?, asker: String, event: String, at: WallTime
    ) {
        self.id = id
        self.commandRoom = commandRoom
        self.room = room
        self.thread = thread
        self.asker = asker
        self.event = event
        self.at = at
    }
}

/// A file on the homeserver, with what an event has to say about it.
public struct StoredUpload: Hashable, Sendable {
    /// `mxc:`.
    public let uri: String
    public let mediaType: String
    public let width: Int
    public let height: Int
    public let byteCount: Int
    public let isAnimated: Bool

    public init(uri: String, mediaType: String, width: Int, height: Int, byteCount: Int, isAnimated: Bool) {
        self.uri = uri
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.byteCount = byteCount
        self.isAnimated = isAnimated
    }
}

/// A room went on as another one, and its name in settings and limits with it.
public struct RoomUpgrade: Equatable, Sendable {
    public let from: String
    public let to: String

    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }
}

public struct StoredSession: Equatable, Sendable {
    public let userID: String
    public let deviceID: String
    public let accessToken: Secret
    public let refreshToken: Secret?
    /// When the access token ends; nil for one without an end.
    public let expires: WallTime?
    /// As what the program is registered with the homeserver's OAuth 2.0; nil for a device of the legacy API.
    public let clientID: String?

    public init(
        userID: String, deviceID: String, accessToken: Secret, refreshToken: Secret? = nil, expires: WallTime? = nil,
        clientID: String? = nil
    ) {
        self.userID = userID
        self.deviceID = deviceID
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expires = expires
        self.clientID = clientID
    }

    public var secrets: [Secret] { [accessToken] + [refreshToken].compactMap { $0 } }
}
