public import Base
import IRC
import OpenSSL

extension IRCNetworkSettings {
    /// A channel's own mapping, where it has one: the bot reads its settings from it, and then `finish()` is due.
    public typealias ChannelMap = (name: String, map: ConfigMap?)

    /// Reads the connection's keys of one `irc:` entry. Faults go into the map's context; nil if there is no use in
    /// going on. `finish()` on the map itself is left to whoever reads the rest of it.
    public static func decode(_ map: ConfigMap) -> (settings: IRCNetworkSettings, channels: [ChannelMap])? {
        let name = map.requiredText("name")
        let host = map.requiredText("host")
        let tls = decodeTLS(map)
        let port = map.integer("port", in: 1...65535) ?? (tls.isEnabled ? 6697 : 6667)
        let nick = map.text("nick") ?? "gifbot"
        var connection = Connection(
            endpoint: IRCEndpoint(
                host: host ?? "", port: port, tls: tls.isEnabled ? tls.settings : nil, proxy: decodeProxy(map),
                bindAddress: map.text("bind")),
            nick: nick, username: map.text("username") ?? IRCNames.username(from: nick),
            realname: map.text("realname") ?? "gifbot")
        connection.endpoint.tlsWhenDemanded = tls.settings
        connection.alternativeNicks = map.texts("alternative_nicks") ?? []
        connection.password = map.secret("password")
        connection.login = decodeLogin(map, over: LoginPath(connection.endpoint))
        connection.nickserv = decodeNickServ(map)
        if map.has("flood_control") { connection.flood = decodeFlood(map) }
        check(connection, map)
        var settings = IRCNetworkSettings(name: name ?? "", connection: connection)
        decodeRest(map, &settings)
        let channels = decodeChannels(map)
        settings.channels = channels.map(\.channel)
        guard name != nil, host != nil else { return nil }
        return (settings, channels.map { ($0.channel.name, $0.map) })
    }

    private static func decodeRest(_ map: ConfigMap, _ settings: inout IRCNetworkSettings) {
        if let name = map.text("encoding") {
            if let encoding = TextEncoding(named: name) {
                settings.encoding = encoding
            } else {
                map.fault("encoding", "expected latin-1 or windows-1252; UTF-8 is always tried first")
            }
        }
        if let reconnect = map.map("reconnect") {
            settings.reconnect = decodeWaits(reconnect, settings.reconnect)
        }
        if map.has("rejoin") {
            if map.isWord("rejoin", "never") {
                settings.rejoin = nil
            } else if let rejoin = map.map("rejoin") {
                settings.rejoin = decodeWaits(rejoin, .rejoin)
            }
        }
        settings.relays = map.texts("relays") ?? []
    }

    private static func decodeWaits(_ map: ConfigMap, _ usual: IRCSettings.Waits) -> IRCSettings.Waits {
        let first = map.duration("first") ?? usual.first
        let longest = map.duration("longest") ?? max(first, usual.longest)
        if longest < first { map.fault("longest", "expected a time not shorter than first") }
        map.finish()
        return IRCSettings.Waits(first: first, longest: longest)
    }

    private static func decodeFlood(_ map: ConfigMap) -> IRCSettings.Flood? {
        if map.isWord("flood_control", "off") { return nil }
        var flood = IRCSettings.Flood.usual
        if let section = map.map("flood_control") {
            flood.lines = section.integer("lines", in: 1...100) ?? flood.lines
            flood.interval = section.integer("seconds", in: 1...60).map { .seconds($0) } ?? flood.interval
            section.finish()
        }
        return flood
    }

    private static func check(_ connection: Connection, _ map: ConfigMap) {
        if !IRCNames.isNick(connection.nick) {
            map.fault("nick", "expected a nick: letters, digits and -[]\\`_^{|}, no digit or - in front")
        }
        for nick in connection.alternativeNicks where !IRCNames.isNick(nick) {
            map.fault("alternative_nicks", "expected nicks: letters, digits and -[]\\`_^{|}, no digit or - in front")
        }
        if !IRCNames.isUsername(connection.username) {
            map.fault("username", "expected 1 to 20 letters and digits")
        }
        let proxies = ["socks5h://", "socks5://", "http://"]
        if let proxy = connection.endpoint.proxy, !proxies.contains(where: { proxy.hasPrefix($0) }) {
            map.fault("proxy", "expected socks5h://…, socks5://… or http://…")
        }
        if let bind = connection.endpoint.bindAddress, bind.isEmpty || bind.utf8.contains(where: { $0 <= 0x20 }) {
            map.fault("bind", "expected an address of this machine, or a network interface")
        }
        guard !LoginPath(connection.endpoint).isPrivate else { return }
        if connection.password != nil || connection.nickserv != nil {
            map.warn("tls", "a password goes over the network in plain text; enable tls")
        } else if connection.login != nil {
            map.warn("tls", "the login is safe, but others can read and change what follows; enable tls")
        }
    }

    /// The address may hold a user and a password, which then are secrets like any other.
    private static func decodeProxy(_ map: ConfigMap) -> String? {
        guard let proxy = map.text("proxy") else { return nil }
        if let at = proxy.lastIndex(of: "@") {
            let user = proxy[..<at].split(separator: "/").last ?? ""
            for part in user.split(separator: ":") { map.context.note(Secret(String(part))) }
        }
        return proxy
    }
}

extension ConfigMap {
    /// Whether a key holds exactly this word, in any letter case, instead of a mapping.
    fileprivate func isWord(_ key: String, _ word: String) -> Bool {
        guard case .scalar(let text, _)? = node(key)?.value else { return false }
        return text.lowercased() == word
    }
}
