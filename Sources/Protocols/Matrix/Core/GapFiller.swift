public import HTTP
import JSON

/// Fetches the part of a room's timeline that a sync left out (`limited`), from the newest page back: what is near the present
/// counts most, and what is older than anybody wants an answer to ends it.
///
/// Bounds: `maximumPages` of `pageSize` events; what lies further back stays unread.
public struct GapFiller: Sendable {
    public static let maximumPages = 10
    static let pageSize = 100

    public let room: String
    private let userID: String
    private let end: String
    private let longestAge: Duration
    private let encrypts: Bool
    private var from: String?
    private var pages = 0
    /// Newest first.
    private var found: [MatrixEvent] = []

    init(room: String, userID: String, from: String, to end: String, longestAge: Duration, encrypts: Bool = false) {
        self.room = room
        self.userID = userID
        self.from = from
        self.end = end
        self.longestAge = longestAge
        self.encrypts = encrypts
    }

    /// The next page, until there is none to ask for.
    public func request(to server: Homeserver) -> HTTPRequest? {
        from.map { server.messages(in: room, from: $0, to: end, limit: Self.pageSize, encrypts: encrypts) }
    }

    public mutating func received(_ page: MessagePage) {
        pages += 1
        from = pages < Self.maximumPages ? page.end : nil
        for event in page.events {
            // What was said before the account came in was not said to it.
            if event.isJoin(of: userID) || event.isOlder(than: longestAge) {
                from = nil
                return
            }
            found.append(event)
        }
    }

    /// All pages were read, and the gap goes on.
    public var isCutShort: Bool { pages == Self.maximumPages && found.count >= Self.maximumPages * Self.pageSize }

    /// Oldest first.
    public var events: [MatrixEvent] { found.reversed() }
}

/// One answer of `/messages` ("Getting events for a room").
public struct MessagePage: Equatable, Sendable {
    /// In the order asked for: newest first.
    public var events: [MatrixEvent] = []
    /// Where the next page begins; nil at the end.
    public var end: String?

    public init() {}

    public static func decode(_ response: HTTPResponse) -> Result<MessagePage, MatrixError> {
        read(response) { (reader) throws(JSONError) -> MessagePage? in
            var page = MessagePage()
            var hasEvents = false
            while let key = try reader.nextKey() {
                switch key {
                case "chunk":
                    hasEvents = true
                    page.events = try MatrixEvent.readAll(&reader)
                case "end": page.end = try reader.stringOrSkip()
                default: try reader.skip()
                }
            }
            return hasEvents ? page : nil
        }
    }
}

extension MatrixEvent {
    /// The account came in, as opposed to a change of its name.
    func isJoin(of userID: String) -> Bool {
        type == "m.room.member" && stateKey == userID && content.membership == "join" && previous?.membership != "join"
    }

    /// Somebody else came in, or was invited, as opposed to a change of their name.
    func isArrival(besides userID: String) -> Bool {
        let inside = ["join", "invite"]
        return type == "m.room.member" && stateKey != userID && inside.contains(content.membership ?? "")
            && !inside.contains(previous?.membership ?? "")
    }

    /// By the homeserver's count; false where it gives none.
    func isOlder(than longest: Duration) -> Bool {
        age.map { .milliseconds($0) > longest } ?? false
    }
}
