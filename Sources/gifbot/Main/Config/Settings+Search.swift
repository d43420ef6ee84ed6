import Base
import Bot
import GiphySearch

extension Settings {
    /// Channels and rooms named in the config.
    var channelCount: Int {
        networks.reduce(0) { $0 + $1.conversations.count }
    }

    /// What the sources can't do for some of the channels, as `check` tells it: a source whose one rating is above a channel's is
    /// never asked there, and one that isn't configured can't be.
    func warnAboutSources(in context: ConfigContext) {
        let configured = search.sources.map(\.name)
        var told: Set<String> = []
        for place in places {
            let channel = bot.settings(for: place)
            guard channel.isEnabled else { continue }
            let asked = search.sources.filter { channel.providers?.contains($0.name) ?? true }
            for source in asked {
                guard let rating = source.fixedRating, rating > channel.rating, told.insert(source.name).inserted
                else { continue }
                context.warn(
                    "all of it counts as \(rating.rawValue), so it is never asked where the rating is "
                        + "\(channel.rating.rawValue), as in \(place.text)", at: nil, path: "search." + source.name)
            }
            for name in channel.providers ?? [] where !configured.contains(name) && told.insert("-" + name).inserted {
                context.warn(
                    "\(place.text) asks \(name), which search.providers doesn't list", at: nil, path: "search.providers"
                )
            }
        }
    }
}
