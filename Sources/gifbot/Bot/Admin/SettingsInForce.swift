import Chat

/// The config's settings with what was set by chat on top. What is put together is kept until one of the two changes.
struct SettingsInForce {
    private var config: BotSettings
    private var byConversation: [Conversation: Channel] = [:]
    /// Of channels without changes of their own; as many as the config has entries.
    private var byEntry: [Entry: Channel] = [:]

    private struct Entry: Hashable {
        let network: String
        let channel: ObjectIdentifier
    }

    init(_ config: BotSettings) {
        self.config = config
    }

    mutating func take(_ config: BotSettings) {
        self = SettingsInForce(config)
    }

    /// Something was set by chat.
    mutating func changed() {
        byConversation = [:]
        byEntry = [:]
    }

    mutating func channel(for conversation: Conversation, _ record: AdminRecord) -> Channel {
        let channel = config.channel(for: conversation)
        if record.isEmpty { return channel }
        if let known = byConversation[conversation] { return known }
        let own = record.changes(in: conversation)
        let wide = record.wideChanges(on: conversation.network)
        let entry = Entry(network: conversation.network, channel: ObjectIdentifier(channel))
        if own.isEmpty {
            if wide.isEmpty { return channel }
            if let known = byEntry[entry] { return known }
        }
        let made = Channel(channel.settings.with(own, wide: wide))
        if own.isEmpty { byEntry[entry] = made } else { byConversation[conversation] = made }
        return made
    }

    /// What an operator may not go past.
    func ceiling(for conversation: Conversation, _ record: AdminRecord) -> ChannelSettings {
        let own = record.changes(in: conversation)
        let wide = record.wideChanges(on: conversation.network)
        return config.channel(for: conversation).settings.ceiling(own, wide: wide)
    }
}
