import Base
import IRC

extension IRCNetworkSettings {
    /// Each entry is a name, or a mapping with a name.
    static func decodeChannels(_ map: ConfigMap) -> [(channel: Channel, map: ConfigMap?)] {
        guard map.has("channels"), let entries = map.list("channels") else { return [] }
        var seen: Set<FoldedName> = []
        return entries.enumerated().compactMap { index, entry in
            let path = map.path(of: "channels") + "[\(index)]"
            guard let decoded = decodeChannel(entry, path, map.context) else { return nil }
            guard seen.insert(Casemapping.rfc1459.fold(decoded.channel.name)).inserted else {
                map.context.fault("the channel \(decoded.channel.name) is there twice", at: entry.place, path: path)
                return nil
            }
            return decoded
        }
    }

    private static func decodeChannel(
        _ entry: ConfigNode, _ path: String, _ context: ConfigContext
    ) -> (channel: Channel, map: ConfigMap?)? {
        let name: String
        var key: Secret?
        var section: ConfigMap?
        switch entry.value {
        case .scalar(let text, _): name = text
        case .map, .list, .empty:
            guard let map = ConfigMap(entry, path: path, in: context), let text = map.requiredText("name") else {
                return nil
            }
            name = text
            key = map.secret("key")
            section = map
        }
        guard IRCNames.isChannel(name) else {
            context.fault(
                "expected a channel: # & + or ! in front, no space and no comma", at: entry.place, path: path)
            return nil
        }
        if let key, key.value.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: ",") }) {
            section?.fault("key", "expected a channel key without space and comma")
        }
        return (Channel(name: name, key: key), section)
    }
}
