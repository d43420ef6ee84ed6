public import Chat

/// For a report on the settings in force, such as `gifbot check` gives.
extension AdminRecord {
    /// What is in force in a channel when the config is this one.
    public func settings(in conversation: Conversation, over config: BotSettings) -> ChannelSettings {
        let own = AdminChange.Reach(conversation).map { changes(of: $0) } ?? []
        return config.settings(for: conversation).with(own, wide: wideChanges(on: conversation.network))
    }

    /// What was set by chat and bears on a channel, the oldest first: `limit user 3/1m (libera/bo, operator, 2026-11-30)`. What is
    /// here need not be in force: an operator's word counts only as far as it tightens.
    public func lines(for conversation: Conversation) -> [String] {
        let own = AdminChange.Reach(conversation).map { changes(of: $0) } ?? []
        return (wideChanges(on: conversation.network) + own).map { AdminSentences.line(for: $0, withPlace: false) }
    }

    /// Channels of a network for which something was set by chat, by name.
    public func channels(on network: String) -> [String] {
        Set(
            changes.compactMap { change in
                if case .channel(network, let name) = change.reach { name } else { nil }
            }
        ).sorted()
    }
}
