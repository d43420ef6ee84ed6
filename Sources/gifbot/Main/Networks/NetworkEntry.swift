import Base
import Bot

/// An entry of a protocol's section while the config is decoded: connection settings, and the layers of channel settings that
/// stand beside them.
struct NetworkEntry {
    let map: ConfigMap
    /// Nil where they are faulty.
    let decoded: (network: any ConfiguredNetwork, layer: BotSettings.Network)?

    /// Of all protocols, in their order.
    static func all(in root: ConfigMap) -> [NetworkEntry] {
        Settings.protocols.flatMap { kind in
            let section = kind.kind.section
            return (root.list(section) ?? []).enumerated().compactMap { index, node in
                ConfigMap(node, path: "\(section)[\(index)]", in: root.context).map { NetworkEntry($0, kind) }
            }
        }
    }

    private init<Network: ConfiguredNetwork>(_ map: ConfigMap, _: Network.Type) {
        self.map = map
        let overrides = ChannelOverrides(map, layer: .network)
        decoded = Network.read(map).map { network, conversations in
            let layer = BotSettings.Network(
                name: network.name, prefixes: Network.kind.prefixes, overrides: overrides,
                conversations: conversations.map { name, map in
                    let overrides = map.map { ChannelOverrides($0, layer: .channel) } ?? ChannelOverrides()
                    map?.finish()
                    return (name, overrides)
                })
            return (network, layer)
        }
    }
}
