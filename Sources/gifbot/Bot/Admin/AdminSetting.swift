public import GiphySearch
public import RateLimiter

/// One setting of a channel as it is made by chat. Written and stored in the words of the command.
public enum AdminSetting: Hashable, Sendable {
    case enabled(Bool)
    case rating(Rating)
    /// Nil is no limit.
    case limit(LimitScope, RateLimitRule?)
    /// Lower case; several words are a phrase.
    case denied(String)
    case allowed(String)
    /// A GIF that is never shown there again: `giphy:abc`.
    case banned(String)

    /// Bytes of a denied word.
    static let longestWord = 100

    /// `on`, `rating pg`, `limit user 5/1m`, `deny word`.
    public var text: String {
        switch self {
        case .enabled(let isOn): isOn ? "on" : "off"
        case .rating(let rating): "rating \(rating.rawValue)"
        case .limit(let scope, let rule): "limit \(scope.rawValue) \(rule?.text ?? "off")"
        case .denied(let word): "deny \(word)"
        case .allowed(let word): "undeny \(word)"
        case .banned(let id): "ban \(id)"
        }
    }

    /// Two changes of the same matter: the later one counts.
    enum Matter: Hashable {
        case enabled, rating
        case limit(LimitScope)
        case word(String)
        case gif(String)
    }

    var matter: Matter {
        switch self {
        case .enabled: .enabled
        case .rating: .rating
        case .limit(let scope, _): .limit(scope)
        case .denied(let word), .allowed(let word): .word(word)
        case .banned(let id): .gif(id)
        }
    }

    /// Reads what `text` wrote; nil for anything else, such as what a newer program wrote.
    public init?(text: String) {
        let words = text.split(separator: " ").map(String.init)
        guard let verb = words.first else { return nil }
        do throws(AdminFault) {
            self = try AdminSetting(verb, Array(words.dropFirst()))
        } catch {
            return nil
        }
    }

    /// A command's word with what stands behind it.
    init(_ verb: String, _ words: [String]) throws(AdminFault) {
        switch verb {
        case "on", "off":
            guard words.isEmpty else { throw .usage }
            self = .enabled(verb == "on")
        case "rating":
            guard words.count == 1 else { throw .usage }
            guard let rating = Rating(rawValue: words[0].lowercased()) else { throw .rating }
            self = .rating(rating)
        case "limit":
            guard words.count > 1 else { throw .usage }
            guard let scope = LimitScope(rawValue: words[0].lowercased()) else { throw .scope }
            self = .limit(scope, try Self.rule(words.dropFirst().joined(separator: " ").lowercased()))
        case "deny", "undeny":
            let word = words.joined(separator: " ").lowercased()
            guard !word.isEmpty else { throw .usage }
            guard word.utf8.count <= Self.longestWord else { throw .longWord }
            self = verb == "deny" ? .denied(word) : .allowed(word)
        case "ban":
            guard words.count == 1 else { throw .usage }
            self = .banned(words[0])
        default: throw .usage
        }
    }

    private static func rule(_ text: String) throws(AdminFault) -> RateLimitRule? {
        if text == "off" { return nil }
        do throws(RateLimitRuleError) {
            return try RateLimitRule(parsing: text)
        } catch {
            throw .rule(error)
        }
    }
}

/// Why an administrator's command can't be done, in words for who gave it.
enum AdminFault: Error, Equatable {
    case usage
    case rating
    case scope
    case rule(RateLimitRuleError)
    case longWord
    case longName
    /// Only a bot admin may.
    case adminsOnly
    /// Beyond the config, or what a bot admin set. The value in force there.
    case looser(String)
    case unknownChange
    /// A bot admin set it.
    case setByAdmin
    case tooMany
    case tooFast
    case noChannel
    case unknownChannel
    case notDenied
    case notBanned
    case notIgnored
    case who
}
