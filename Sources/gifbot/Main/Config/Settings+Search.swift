import Base
import Bot
import Chat
import GiphySearch
import IRCAdapter
import MatrixAdapter

extension Settings {
    /// Channels and rooms named in the config.
    var channelCount: Int {
        irc.reduce(0) { $0 + $1.channels.count } + matrix.reduce(0) { $0 + $1.rooms.count }
    }

    /// What the sources can't do for some of the channels, as `check` tells it: a source whose one rating is above a channel's is
    /// never asked there, and one that isn't configured can't be.
    func warnAboutSources(in context: ConfigContext) {
        let configured = search.sources.map(\.name)
        var told: Set<String> = []
        for (place, channel) in places where channel.isEnabled {
            let asked = search.sources.filter { channel.providers?.contains($0.name) ?? true }
            for source in asked {
                guard let rating = source.fixedRating, rating > channel.rating, told.insert(source.name).inserted
                else { continue }
                context.warn(
                    "all of it counts as \(rating.rawValue), so it is never asked where the rating is "
                        + "\(channel.rating.rawValue), as in \(place)", at: nil, path: "search." + source.name)
            }
            for name in channel.providers ?? [] where !configured.contains(name) && told.insert("-" + name).inserted {
                context.warn(
                    "\(place) asks \(name), which search.providers doesn't list", at: nil, path: "search.providers")
            }
        }
    }

    private var places: [(name: String, settings: ChannelSettings)] {
        let networks = irc.map { ($0.name, $0.channels.map(\.name)) } + matrix.map { ($0.name, $0.rooms) }
        return networks.flatMap { network, names in
            // No conversation has an empty name, so this finds the network's own layer.
            (names + [""]).map { name in
                let place = Conversation(network: network, name: name, isDirect: false)
                return (name.isEmpty ? network : network + "/" + name, bot.settings(for: place))
            }
        }
    }
}
