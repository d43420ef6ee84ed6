public import Base
import Matrix

extension MatrixAccountSettings {
    /// A room's name, and the mapping that holds its settings where it has some. They are the bot's to decode and to
    /// finish; `name` is read already.
    public typealias RoomEntry = (name: String, map: ConfigMap?)

    /// Decodes an entry of `matrix`. Every fault is in the map's context; nil where one was found. The map isn't
    /// finished: the bot's settings for the whole network stand in it too.
    public static func decode(_ map: ConfigMap) -> (settings: MatrixAccountSettings, rooms: [RoomEntry])? {
        let name = map.requiredText("name")
        let user = map.text("user")
        // Without one it is found by the user's server.
        let isGiven = map.has("homeserver") || !map.has("user")
        let homeserver = isGiven ? map.requiredText("homeserver").flatMap { checked(homeserver: $0, map) } : nil
        let signIn = decodeSignIn(map)
        if let user, !MatrixID.isUser(user) {
            map.fault("user", "expected a full user id such as @gifbot:example.org")
        }
        if user == nil, !map.has("user"), case .password = signIn {
            map.fault("user", "missing: a password needs the full user id")
        }
        let displayName = map.text("display_name")
        let deviceName = map.text("device_name") ?? "gifbot"
        let invites = decodeInvites(map)
        let rooms = decodeRooms(map)
        let avatar = decodeAvatar(map)
        let typing = map.bool("typing") ?? true
        let buttons = map.bool("buttons") ?? false
        let sendWithin = map.duration("send_within")
        let encryption = map.bool("encryption") ?? true
        let crossSignedOnly = map.bool("cross_signed_only") ?? false
        if crossSignedOnly, !encryption {
            map.warn("cross_signed_only", "means nothing with encryption: false")
        }
        let hasRecoveryKey = map.has("recovery_key") || map.has("recovery_key_file")
        let recoveryKey = hasRecoveryKey ? map.secret("recovery_key") : nil
        guard let name, let signIn, homeserver != nil || !isGiven else { return nil }
        if name.isEmpty || name.contains("/") {
            map.fault("name", "expected a name without a slash")
            return nil
        }
        var settings = MatrixAccountSettings(
            name: name, homeserver: homeserver, user: user, signIn: signIn, displayName: displayName,
            deviceName: deviceName, invites: invites, rooms: rooms.map(\.name))
        settings.avatar = avatar
        settings.typing = typing
        settings.buttons = buttons
        settings.encryption = encryption
        settings.crossSignedOnly = crossSignedOnly
        settings.recoveryKey = recoveryKey
        if let sendWithin { settings.sendWithin = sendWithin }
        return (settings, rooms)
    }

    private static func decodeSignIn(_ map: ConfigMap) -> SignIn? {
        let hasToken = map.has("access_token") || map.has("access_token_file")
        let hasPassword = map.has("password") || map.has("password_file")
        // Both are read in any case, so that both are masked in the log.
        let token = map.secret("access_token")
        let password = map.secret("password")
        switch (hasToken, hasPassword) {
        case (true, true):
            map.fault("password", "both an access token and a password are given; one is enough")
            return nil
        case (false, false):
            guard map.has("user") else {
                map.fault(
                    "access_token",
                    "missing: expected access_token or password, or user alone for an account signed in by gifbot login"
                )
                return nil
            }
            return .stored
        case (true, false):
            guard let token else { return nil }
            // It becomes part of a header line.
            guard token.value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                map.fault("access_token", "holds characters that no token has")
                return nil
            }
            return .accessToken(token)
        case (false, true): return password.map { .password($0) }
        }
    }

    private static func decodeInvites(_ map: ConfigMap) -> InvitePolicy {
        guard map.has("invites"), let invites = map.map("invites") else { return .admins }
        defer { invites.finish() }
        guard let accept = invites.node("accept") else { return .admins }
        let words = "expected admins, anyone, never, or a list of servers"
        switch accept.value {
        case .list:
            let servers = invites.texts("accept") ?? []
            for server in servers where !MatrixID.isServer(server) {
                invites.fault("accept", "\(server) is no server name")
            }
            return .servers(servers)
        case .scalar:
            switch invites.text("accept")?.lowercased() {
            case "admins": return .admins
            case "anyone": return .anyone
            case "never": return .never
            default: invites.fault("accept", words)
            }
        case .map, .empty: invites.fault("accept", "\(words), found \(accept.kindName)")
        }
        return .never
    }

    private static func decodeRooms(_ map: ConfigMap) -> [RoomEntry] {
        guard map.has("rooms"), let nodes = map.list("rooms") else { return [] }
        var entries: [RoomEntry] = []
        for (index, node) in nodes.enumerated() {
            let path = map.path(of: "rooms") + "[\(index)]"
            guard let entry = decodeRoom(node, path: path, map.context) else { continue }
            if entries.contains(where: { $0.name == entry.name }) {
                map.context.fault("the room \(entry.name) is given twice", at: node.place, path: path)
                continue
            }
            entries.append(entry)
        }
        return entries
    }

    private static func decodeRoom(_ node: ConfigNode, path: String, _ context: ConfigContext) -> RoomEntry? {
        let name: String?
        var map: ConfigMap?
        if case .scalar(let text, _) = node.value {
            name = text
        } else {
            map = ConfigMap(node, path: path, in: context)
            name = map?.requiredText("name")
        }
        guard let name else { return nil }
        guard MatrixID.isRoom(name) || MatrixID.isAlias(name) else {
            context.fault(
                "expected a room id such as !abc:example.org or an alias such as #cats:example.org",
                at: node.place, path: path)
            return nil
        }
        return (name, map)
    }

    private static func decodeAvatar(_ map: ConfigMap) -> String? {
        guard map.has("avatar"), let text = map.text("avatar") else { return nil }
        return text.hasPrefix("mxc://") ? text : map.filePath("avatar")
    }

    private static func checked(homeserver: String, _ map: ConfigMap) -> String? {
        var base = homeserver
        while base.hasSuffix("/") { base.removeLast() }
        guard let split = base.firstRange(of: "://") else {
            map.fault("homeserver", "expected an address such as https://matrix.example.org")
            return nil
        }
        let scheme = base[..<split.lowerBound].lowercased()
        let rest = base[split.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard !authority.isEmpty, rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !rest.contains(where: { "@?#\\".contains($0) }), MatrixID.isServer(String(authority))
        else {
            map.fault("homeserver", "expected an address such as https://matrix.example.org")
            return nil
        }
        guard scheme == "https" || scheme == "http" && isLoopback(host: host(of: authority)) else {
            map.fault("homeserver", "expected https: (http: goes to a loopback address alone)")
            return nil
        }
        return base
    }

    /// Without the port.
    private static func host(of authority: Substring) -> Substring {
        authority.hasPrefix("[") ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    }
}
