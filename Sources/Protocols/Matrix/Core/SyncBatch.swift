public import HTTP
import JSON
public import MatrixCrypto

/// The answer to one `/sync`, decoded whole or not at all: of half a body nothing is used.
public struct SyncBatch: Equatable, Sendable {
    public struct Joined: Equatable, Sendable {
        public var id: String
        /// The state before the timeline.
        public var state: [MatrixEvent] = []
        public var timeline: [MatrixEvent] = []
        /// Events before the timeline were left out; they can be asked for backwards from `previousBatch`.
        public var isLimited = false
        public var previousBatch: String?
        /// What was left out and then fetched, oldest first. Its state is in `state` already.
        public var missed: [MatrixEvent] = []
        /// From the room's summary; nil where it didn't change.
        public var joinedCount: Int?
        public var invitedCount: Int?

        public init(id: String) {
            self.id = id
        }
    }

    public struct Invited: Equatable, Sendable {
        public var id: String
        public var state: [MatrixEvent] = []

        public init(id: String) {
            self.id = id
        }
    }

    public var next = ""
    public var joined: [Joined] = []
    public var invited: [Invited] = []
    /// Rooms left, or thrown out of.
    public var left: [String] = []
    /// The account's own list of people whose words it doesn't want; nil where it didn't change.
    public var ignored: [String]?
    /// What is for the encryption alone.
    public var crypto = CryptoSync()

    public init() {}

    public static func decode(_ response: HTTPResponse) -> Result<SyncBatch, MatrixError> {
        read(response) { (reader) throws(JSONError) -> SyncBatch? in
            var batch = SyncBatch()
            while let key = try reader.nextKey() {
                switch key {
                case "next_batch": batch.next = try reader.stringOrSkip() ?? ""
                case "rooms": try batch.readRooms(&reader)
                case "account_data": try batch.readAccountData(&reader)
                default:
                    if try !batch.crypto.read(key, &reader) { try reader.skip() }
                }
            }
            batch.crypto.nextBatch = batch.next
            return batch.next.isEmpty ? nil : batch
        }
    }

    /// Puts in what was fetched of a room's gap.
    public mutating func fill(_ gap: GapFiller) {
        guard let index = joined.firstIndex(where: { $0.id == gap.room }) else { return }
        joined[index].missed = gap.events
    }

    private mutating func readRooms(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "join": joined += try reader.rooms(Joined.read)
            case "invite": invited += try reader.rooms(Invited.read)
            case "leave":
                left += try reader.rooms { (id, reader) throws(JSONError) in
                    try reader.skip()
                    return id
                }
            default: try reader.skip()
            }
        }
    }

    private mutating func readAccountData(_ reader: inout JSONReader) throws(JSONError) {
        try reader.events { (reader) throws(JSONError) in
            guard try reader.beginObjectOrSkip() else { return }
            var isIgnoreList = false
            var users: [String] = []
            while let key = try reader.nextKey() {
                switch key {
                case "type": isIgnoreList = try reader.textOrSkip().map { $0 == "m.ignored_user_list" } ?? false
                case "content": users = try reader.ignoredUsers()
                default: try reader.skip()
                }
            }
            if isIgnoreList { ignored = users }
        }
    }
}

extension SyncBatch.Joined {
    static func read(id: String, _ reader: inout JSONReader) throws(JSONError) -> SyncBatch.Joined {
        var room = SyncBatch.Joined(id: id)
        guard try reader.beginObjectOrSkip() else { return room }
        while let key = try reader.nextKey() {
            switch key {
            case "state": room.state = try reader.eventList()
            case "timeline": try room.readTimeline(&reader)
            case "summary": try room.readSummary(&reader)
            default: try reader.skip()
            }
        }
        return room
    }

    private mutating func readTimeline(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "events": timeline = try MatrixEvent.readAll(&reader)
            case "limited": isLimited = try reader.boolOrSkip() ?? false
            case "prev_batch": previousBatch = try reader.stringOrSkip()
            default: try reader.skip()
            }
        }
    }

    private mutating func readSummary(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "m.joined_member_count": joinedCount = try reader.peopleCount()
            case "m.invited_member_count": invitedCount = try reader.peopleCount()
            default: try reader.skip()
            }
        }
    }
}

extension SyncBatch.Invited {
    static func read(id: String, _ reader: inout JSONReader) throws(JSONError) -> SyncBatch.Invited {
        var room = SyncBatch.Invited(id: id)
        guard try reader.beginObjectOrSkip() else { return room }
        while let key = try reader.nextKey() {
            switch key {
            case "invite_state": room.state = try reader.eventList()
            default: try reader.skip()
            }
        }
        return room
    }
}

extension JSONReader {
    /// Bounded, so that counts can be added whatever a server says.
    mutating func peopleCount() throws(JSONError) -> Int? {
        try integerOrSkip().map { Int(min(max($0, 0), 1_000_000)) }
    }

    /// A map from room ids to rooms.
    mutating func rooms<Room>(
        _ room: (String, inout JSONReader) throws(JSONError) -> Room
    ) throws(JSONError) -> [Room] {
        guard try beginObjectOrSkip() else { return [] }
        var rooms: [Room] = []
        while let key = try nextKey() {
            let id = key.string
            rooms.append(try room(id, &self))
        }
        return rooms
    }

    /// The one useful key of a section: `events`.
    mutating func eventList() throws(JSONError) -> [MatrixEvent] {
        guard try beginObjectOrSkip() else { return [] }
        var events: [MatrixEvent] = []
        while let key = try nextKey() {
            switch key {
            case "events": events = try MatrixEvent.readAll(&self)
            default: try skip()
            }
        }
        return events
    }

    mutating func events(_ event: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard try beginObjectOrSkip() else { return }
        while let key = try nextKey() {
            switch key {
            case "events":
                guard try beginArrayOrSkip() else { continue }
                while try nextElement() { try event(&self) }
            default: try skip()
            }
        }
    }

    /// `ignored_users` is a map whose keys are user ids.
    mutating func ignoredUsers() throws(JSONError) -> [String] {
        guard try beginObjectOrSkip() else { return [] }
        var users: [String] = []
        while let key = try nextKey() {
            switch key {
            case "ignored_users":
                guard try beginObjectOrSkip() else { continue }
                while let user = try nextKey() {
                    users.append(user.string)
                    try skip()
                }
            default: try skip()
            }
        }
        return users
    }
}
