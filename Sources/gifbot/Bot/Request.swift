import Chat

/// A command with where it came from and the settings it began with, which it keeps to its end.
struct Request {
    let message: ChatMessage
    let adapter: any ChatAdapter
    let channel: Channel

    var conversation: Conversation { message.conversation }
}
