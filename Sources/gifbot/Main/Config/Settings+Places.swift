import Bot
import Chat

/// Conversations that have settings of their own: one that the config names, or the rest of a network.
struct Place: Hashable, Sendable {
    /// No conversation has an empty name, so one without has the settings of its network's own layer.
    let conversation: Conversation

    init(_ name: String, on network: String) {
        conversation = Conversation(network: network, name: name, isDirect: false)
    }

    init(restOf network: String) {
        self.init("", on: network)
    }

    var isRest: Bool { conversation.name.isEmpty }

    /// `libera/#cats`, or `libera` for the rest of it.
    var text: String { isRest ? conversation.network : "\(conversation.network)/\(conversation.name)" }
}

extension ConfiguredNetwork {
    var places: [Place] {
        conversations.map { Place($0, on: name) } + [Place(restOf: name)]
    }
}

extension Settings {
    var places: [Place] { networks.flatMap { $0.places } }

    func network(named name: String) -> (any ConfiguredNetwork)? {
        networks.first { $0.name == name }
    }
}

extension BotSettings {
    func settings(for place: Place) -> ChannelSettings { settings(for: place.conversation) }
}
