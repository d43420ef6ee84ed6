import Base
import YAML

/// The names of all keys that a config can have, as its decoders ask for them.
enum KnownKeys {
    static let all: Set<String> = {
        let context = ConfigContext(
            folder: "/", environment: { _ in nil },
            readFile: { (_) throws(ConfigFileError) in throw ConfigFileError(reason: "no file is read") })
        guard let node = try? YAMLReader.parse(Array(everySection.utf8)),
            let root = ConfigMap(node, path: "", in: context)
        else { return [] }
        _ = Settings(root)
        return context.keysAskedFor
    }()

    /// Each section once, with no more in it than it takes for its decoder to go on: whatever else it knows it asks for.
    private static let everySection = """
        bot: {}
        defaults: {deny: {}, limits: {}}
        irc:
          - {name: a, host: a.example, nick: a, tls: {}, sasl: {mechanism: auto, username: a, password: a}, nickserv: {},
             flood_control: {}, reconnect: {}, rejoin: {}, channels: [{name: "#a"}]}
        matrix:
          - {name: b, homeserver: "https://b.example", user: "@b:b.example", invites: {}, rooms: [{name: "!b:b.example"}]}
        search:
          {providers: [giphy, klipy, commons, openverse, folder], cache: {}, giphy: {}, klipy: {}, commons: {},
           openverse: {}, folder: {}}
        log: {}
        """
}
