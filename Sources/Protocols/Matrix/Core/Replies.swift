public import HTTP
import JSON

/// Decoders of the short answers. Each takes the response as it came, and throws what `MatrixError` makes of it when it
/// isn't the expected one.
public enum Replies {
    /// The versions of the specification that the server speaks.
    public static func versions(_ response: HTTPResponse) -> Result<[String], MatrixError> {
        read(response) { (reader) throws(JSONError) -> [String]? in
            var versions: [String]?
            while let key = try reader.nextKey() {
                switch key {
                case "versions": versions = try reader.texts()
                default: try reader.skip()
                }
            }
            return versions
        }
    }

    public static func whoAmI(_ response: HTTPResponse) -> Result<Identity, MatrixError> {
        read(response) { (reader) throws(JSONError) -> Identity? in
            let fields = try reader.texts(of: ["user_id", "device_id"])
            return fields[0].map { Identity(userID: $0, deviceID: fields[1]) }
        }
    }

    /// The name shown for a user; nil inside the success when none is set.
    public static func displayName(_ response: HTTPResponse) -> Result<String?, MatrixError> {
        read(response) { (reader) throws(JSONError) -> String?? in
            .some(try reader.texts(of: ["displayname"])[0])
        }
    }

    /// The `room_id` that both a join and a look-up of an alias answer with.
    public static func room(_ response: HTTPResponse) -> Result<String, MatrixError> {
        read(response) { (reader) throws(JSONError) -> String? in
            try reader.texts(of: ["room_id"])[0]
        }
    }

    /// `join`, `leave`, `ban` and the like.
    public static func membership(_ response: HTTPResponse) -> Result<String, MatrixError> {
        read(response) { (reader) throws(JSONError) -> String? in
            try reader.texts(of: ["membership"])[0]
        }
    }

    public static func sent(_ response: HTTPResponse) -> Result<String, MatrixError> {
        read(response) { (reader) throws(JSONError) -> String? in
            try reader.texts(of: ["event_id"])[0]
        }
    }

    /// The `mxc:` address of what was uploaded.
    public static func uploaded(_ response: HTTPResponse) -> Result<String, MatrixError> {
        read(response) { (reader) throws(JSONError) -> String? in
            try reader.texts(of: ["content_uri"])[0].flatMap { $0.hasPrefix("mxc://") ? $0 : nil }
        }
    }

    /// Bytes that an upload may have; nil inside the success when the server doesn't say.
    public static func uploadLimit(_ response: HTTPResponse) -> Result<Int?, MatrixError> {
        read(response) { (reader) throws(JSONError) -> Int?? in
            var limit: Int64?
            while let key = try reader.nextKey() {
                switch key {
                case "m.upload.size": limit = try reader.integerOrSkip()
                default: try reader.skip()
                }
            }
            return .some(limit.flatMap { $0 > 0 ? Int($0) : nil })
        }
    }

    /// The picture of a user; nil inside the success when none is set.
    public static func avatar(_ response: HTTPResponse) -> Result<String?, MatrixError> {
        read(response) { (reader) throws(JSONError) -> String?? in
            .some(try reader.texts(of: ["avatar_url"])[0])
        }
    }

    /// Any object, for calls whose answer says nothing.
    public static func done(_ response: HTTPResponse) -> Result<Bool, MatrixError> {
        read(response) { (reader) throws(JSONError) -> Bool? in
            _ = try reader.texts(of: [])
            return true
        }
    }

    public static func joinedCount(_ response: HTTPResponse) -> Result<Int, MatrixError> {
        read(response) { (reader) throws(JSONError) -> Int? in
            var count: Int?
            while let key = try reader.nextKey() {
                switch key {
                case "joined": count = try reader.memberCount()
                default: try reader.skip()
                }
            }
            return count
        }
    }
}

/// Who is in a room, and who is invited to it.
public struct RoomPeople: Equatable, Sendable {
    public var joined: Set<String> = []
    public var invited: Set<String> = []
}

extension Replies {
    public static func people(_ response: HTTPResponse) -> Result<RoomPeople, MatrixError> {
        read(response) { (reader) throws(JSONError) -> RoomPeople? in
            var people: RoomPeople?
            while let key = try reader.nextKey() {
                switch key {
                case "chunk": people = RoomPeople(try MatrixEvent.readAll(&reader))
                default: try reader.skip()
                }
            }
            return people
        }
    }
}

extension RoomPeople {
    fileprivate init(_ events: [MatrixEvent]) {
        for event in events where event.type == "m.room.member" {
            guard let user = event.stateKey else { continue }
            switch event.content.membership {
            case "join": joined.insert(user)
            case "invite": invited.insert(user)
            default: break
            }
        }
    }
}

/// Whose token it is. Without a device the token belongs to an application service or an old guest.
public struct Identity: Equatable, Sendable {
    public let userID: String
    public let deviceID: String?
}

/// A fresh login. Not for printing: it holds the token.
public struct Login: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    public let userID: String
    public let deviceID: String
    public let token: FreshToken

    public var description: String { "\(userID) on \(deviceID)" }
    public var debugDescription: String { description }
}

/// Reads the object of a 200; nil from `fields` means that something needed isn't there.
func read<Output: Sendable>(
    _ response: HTTPResponse, _ fields: (inout JSONReader) throws(JSONError) -> Output?
) -> Result<Output, MatrixError> {
    guard response.status == 200 else { return .failure(MatrixError(response)) }
    let output = try? JSONReader.read(response.body, rules: .matrix) { (reader) throws(JSONError) -> Output? in
        try reader.beginObject()
        return try fields(&reader)
    }
    guard let output else { return .failure(MatrixError(response)) }
    return .success(output)
}

extension JSONReader {
    /// The texts of these keys in an object already entered; everything else is passed over.
    mutating func texts(of keys: [String]) throws(JSONError) -> [String?] {
        var found = [String?](repeating: nil, count: keys.count)
        while let key = try nextKey() {
            if let index = keys.firstIndex(of: key.string) {
                found[index] = try stringOrSkip()
            } else {
                try skip()
            }
        }
        return found
    }

    /// How many keys an object has.
    mutating func memberCount() throws(JSONError) -> Int? {
        guard try beginObjectOrSkip() else { return nil }
        var count = 0
        while try nextKey() != nil {
            count += 1
            try skip()
        }
        return count
    }

    /// The texts in an array; what isn't text is passed over.
    mutating func texts() throws(JSONError) -> [String] {
        guard try beginArrayOrSkip() else { return [] }
        var texts: [String] = []
        while try nextElement() {
            if let text = try stringOrSkip() { texts.append(text) }
        }
        return texts
    }
}
