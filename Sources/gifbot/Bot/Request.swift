import Base
import Chat
import GiphySearch

/// A command with where it came from and the settings it began with, which it keeps to its end.
struct Request {
    let message: ChatMessage
    let adapter: any ChatAdapter
    let channel: Channel
    let hand: CommandInHand

    @Loop init(message: ChatMessage, adapter: any ChatAdapter, channel: Channel) {
        self.message = message
        self.adapter = adapter
        self.channel = channel
        hand = CommandInHand(message, from: adapter)
    }

    var conversation: Conversation { message.conversation }

    /// Private messages of a network share one part of a source's budget, so that nobody gets more by asking in private.
    var asker: Asker {
        let place = conversation
        return Asker(
            share: place.isDirect ? place.network : place.network + "/" + place.name,
            sources: channel.settings.providers)
    }
}
