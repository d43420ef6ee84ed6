import Base
import GiphySearch
import IRCAdapter
import MatrixAdapter

extension Settings {
    /// Channels and rooms named in the config.
    var channelCount: Int {
        irc.reduce(0) { $0 + $1.channels.count } + matrix.reduce(0) { $0 + $1.rooms.count }
    }
}
