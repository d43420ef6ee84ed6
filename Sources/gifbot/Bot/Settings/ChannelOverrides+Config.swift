public import Base
import GiphySearch
import RateLimiter

extension ChannelOverrides {
    /// Where in the file a layer stands: what counts a whole network or the whole bot can't be set for less.
    public enum Layer: Sendable {
        case defaults, network, channel
    }

    /// Reads the keys of `defaults` from a mapping that may hold other keys too: it doesn't call `finish()`.
    public init(_ map: ConfigMap, layer: Layer) {
        command = map.commandWord("command")
        aliases = map.texts("aliases").map { map.commandWords($0, key: "aliases") }
        prefixes = map.texts("prefixes").map { map.prefixes($0, key: "prefixes") }
        isEnabled = map.bool("enabled")
        answersPrivately = map.bool("private")
        rating = map.choice("rating", Rating.self)
        allowsUnrated = map.bool("unrated")
        language = map.language("language")
        providers = map.sourceNames("providers")
        if providers == [] { map.fault("providers", "no source is listed; leave the key out for all of them") }
        media = map.choice("media", ChannelSettings.Media.self)
        maximumBytes = map.byteCount("max_bytes")
        maximumWidth = map.integer("max_width", in: 16...10_000)
        allowsStickers = map.bool("sticker")
        collection = map.choice("collection", ChannelSettings.Collection.self)
        ageLimit = map.duration("age_limit")
        template = map.template("template")
        if let deny = map.map("deny") {
            deniedWords = deny.texts("words").map { words in words.map { $0.lowercased() } }
            deniedIDs = deny.texts("ids").map { Set($0) }
            deny.finish()
        }
        if let section = map.map("limits") {
            limits = Limits(section, layer: layer)
            section.finish()
        }
    }
}

extension ChannelOverrides.Limits {
    init(_ map: ConfigMap, layer: ChannelOverrides.Layer) {
        user = map.limit("user")
        channel = map.limit("channel")
        userInChannel = map.limit("user_in_channel")
        network = map.limit("network")
        global = map.limit("global")
        if global != nil, layer != .defaults {
            map.fault("global", "counts the whole bot, so it can only be set in defaults")
        }
        if network != nil, layer == .channel {
            map.fault("network", "counts a whole network, so it can only be set in defaults or for a network")
        }
    }
}

extension ConfigMap {
    /// A rule such as `5/1m` or `20/1h burst 5`, or `off`.
    fileprivate func limit(_ key: String) -> ChannelOverrides.Limit? {
        guard let text = text(key) else { return nil }
        if text.lowercased() == "off" { return .off }
        do throws(RateLimitRuleError) {
            return .rule(try RateLimitRule(parsing: text))
        } catch {
            fault(key, "\(error), or off")
            return nil
        }
    }

    fileprivate func template(_ key: String) -> ReplyTemplate? {
        guard let text = text(key) else { return nil }
        do throws(TemplateError) {
            return try ReplyTemplate(text)
        } catch {
            fault(key, error.text)
            return nil
        }
    }

    fileprivate func language(_ key: String) -> String? {
        guard let text = text(key) else { return nil }
        if let language = Language.canonical(text) { return language }
        let hint = nearest(to: text.lowercased(), among: Language.all).map { "; did you mean \($0)?" } ?? ""
        fault(key, "expected one of \(Language.all.joined(separator: ", "))\(hint)")
        return nil
    }

    fileprivate func commandWord(_ key: String) -> String? {
        text(key).flatMap { commandWords([$0], key: key).first }
    }

    fileprivate func commandWords(_ words: [String], key: String) -> [String] {
        words.compactMap { word in
            if CommandWord.isUsable(word) { return word.lowercased() }
            fault(key, "expected words of 1 to 32 bytes without spaces")
            return nil
        }
    }

    fileprivate func prefixes(_ prefixes: [String], key: String) -> [String] {
        prefixes.compactMap { prefix in
            if CommandWord.isUsablePrefix(prefix) { return prefix }
            fault(key, "expected marks of 1 to 8 bytes such as ! or . with no letter or digit first and no space")
            return nil
        }
    }
}
