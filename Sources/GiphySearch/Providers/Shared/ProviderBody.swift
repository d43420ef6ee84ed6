import HTTP
import JSON

/// A body read as a whole: for sources whose pages are small or seldom.
enum ProviderBody {
    /// Bodies come from servers that cut text inside a character.
    static let rules = JSONRules(maximumBytes: 2 << 20, maximumDepth: 32, loneSurrogate: .replaced)

    /// The object at the top; anything else is an outage. The reason given holds nothing of the body.
    static func object(of response: HTTPResponse) throws(SourceFailure) -> JSONValue {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: response.body, rules: rules)
        } catch {
            throw .unavailable("the answer can't be read: \(error)")
        }
        guard value.object != nil else { throw .unavailable("the answer is no object") }
        return value
    }

    /// How long to leave the source alone: what it asks for, within bounds.
    static func rest(after response: HTTPResponse, atLeast least: Int64) -> Duration {
        let asked = response.header("retry-after").flatMap { Int64($0) } ?? 0
        return .seconds(min(max(asked, least), 86400))
    }
}

extension JSONValue {
    /// A number as a number or as text.
    private var count: Int64? { integer ?? string.flatMap { Int64($0) } }

    /// One dimension; nil for 0 and for what no picture has.
    var pixels: Int? { count.flatMap { (1...16384).contains($0) ? Int($0) : nil } }

    /// Bytes of a file; nil for 0.
    var byteCount: Int? { count.flatMap { $0 > 0 && $0 <= 1 << 40 ? Int($0) : nil } }

    /// An id as it may be stored, compared and typed; from a number as well.
    var sourceID: String? {
        guard let id = string ?? integer.map({ String($0) }), (1...100).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return id
    }
}
