public import Chat

extension BotSettings {
    /// The settings of a conversation with what was set by chat on top, and the changes that may have had a part in it, in
    /// order. For a report: the bot itself keeps what it has put together.
    public func settings(for conversation: Conversation, under record: AdminRecord) -> (
        settings: ChannelSettings, changes: [AdminChange]
    ) {
        let own = record.changes(in: conversation)
        let wide = record.wideChanges(on: conversation.network)
        return (settings(for: conversation).with(own, wide: wide), wide + own)
    }
}
