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

    /// A device once logged in by password: token and device id, kept in a file of mode 600.
    func session(of account: String) -> StoredSession?
    func save(session: StoredSession?, of account: String)
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

    public init(userID: String, deviceID: String, accessToken: Secret) {
        self.userID = userID
        self.deviceID = deviceID
        self.accessToken = accessToken
    }
}
