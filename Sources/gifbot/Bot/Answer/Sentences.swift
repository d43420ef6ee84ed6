import Base
import Chat
import RateLimiter

/// What the bot says beside GIFs. Every sentence starts with a word that is neither a prefix nor a command, and none
/// repeats what a person typed.
enum Sentences {
    static let nothingFound = "Nothing found for these words."
    static let nothingSuitable = "Something was found, but nothing suitable for this channel."
    static let notOffered = "None of the GIF sources here offers that."
    static let noSuchPosition = "There are not that many results for these words."
    static let tooLong = "Something was found, but its address is too long for a line here."
    static let searchNotAvailable = "Search is not available at the moment."
    static let keyRefused = "A source refuses the bot's key; the log says more."
    static let busy = "Too many searches are under way; try again in a moment."

    /// With up to three of the words that a source knows instead.
    static func nothingFound(related words: [String]) -> String {
        words.isEmpty ? nothingFound : nothingFound + " Related: " + words.prefix(3).joined(separator: ", ") + "."
    }

    static func usage(_ call: String) -> String {
        "Usage: \(call) <words>, for example: \(call) party"
    }

    static func wrong(_ option: CommandOption) -> String {
        "Option \(option.rawValue) takes \(option.expected)."
    }

    static func limitReached(_ refusal: Refusal) -> String {
        "\(subject(of: refusal.scope)), retry in \(max(1, refusal.retryAfter.secondsRoundedUp)) s."
    }

    private static func subject(of scope: LimitScope) -> String {
        switch scope {
        case .user: "Your limit is reached"
        case .channel: "The limit of this channel is reached"
        case .userInChannel: "Your limit in this channel is reached"
        case .network: "The limit of this network is reached"
        case .global: "The limit of this bot is reached"
        }
    }

    /// `wall` is the time now.
    static func budgetUsedUp(returnsIn wait: Duration, wall: WallTime) -> String {
        let minutes = max(1, (wait.secondsRoundedUp + 59) / 60)
        let clock = ClockTime.text(wall.advanced(by: wait))
        return "The calls to the GIF sources are used up; they return in \(minutes) min, at \(clock) UTC."
    }

    static func sourcesDown(retryIn wait: Duration?) -> String {
        guard let wait else { return "The GIF sources don't answer; try again later." }
        return "The GIF sources don't answer; try again in \(TimeSpan.text(wait))."
    }

    static func help(_ call: String) -> String {
        let options = CommandOption.allCases.map(\.rawValue).joined(separator: ", ")
        return "Commands: \(call) <words>, with options before the words: \(options) \u{B7} \(call) "
            + CommandTable.all.map(\.usage).joined(separator: ", ")
    }

    static func help(_ call: String, _ entry: CommandEntry) -> String {
        "Help: \(call) \(entry.usage): \(entry.does)."
    }

    static func about(_ about: About) -> String {
        let name = "This is gifbot \(about.version), \(about.sourceURL)"
        return ([name] + about.credits).joined(separator: " \u{B7} ")
    }

    static func limits(_ limits: [(scope: LimitScope, rule: RateLimitRule, left: Remaining)]) -> String {
        guard !limits.isEmpty else { return "Limits here: none." }
        let each = limits.map { "\(name(of: $0.scope)) \($0.rule.text), \(state(of: $0.left))" }
        return "Limits here: " + each.joined(separator: " \u{B7} ")
    }

    static let exempt = "Limits here: none for you."

    private static func name(of scope: LimitScope) -> String {
        switch scope {
        case .user: "you"
        case .channel: "this channel"
        case .userInChannel: "you in this channel"
        case .network: "this network"
        case .global: "the whole bot"
        }
    }

    private static func state(of left: Remaining) -> String {
        if left.fullIn <= .zero { return "all left" }
        if left.tokens == 0 { return "none left, next in \(TimeSpan.text(left.nextIn))" }
        return "\(left.tokens) left, all back in \(TimeSpan.text(left.fullIn))"
    }
}

/// A time of day.
enum ClockTime {
    /// `HH:MM`, UTC, rounded up so that nobody comes too early.
    static func text(_ time: WallTime) -> String {
        let minutes = (time.milliseconds + 59_999) / 60_000
        let ofDay = Int(((minutes % 1440) + 1440) % 1440)
        return twoDigits(ofDay / 60) + ":" + twoDigits(ofDay % 60)
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// A span of time as people read it, rounded up.
enum TimeSpan {
    static func text(_ duration: Duration) -> String {
        let seconds = max(1, duration.secondsRoundedUp)
        if seconds <= 120 { return "\(seconds) s" }
        let minutes = (seconds + 59) / 60
        if minutes <= 120 { return "\(minutes) min" }
        return "\((minutes + 59) / 60) h"
    }
}
