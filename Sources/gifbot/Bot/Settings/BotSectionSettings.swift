public import Base

/// The `bot:` section: who runs the bot, whom it ignores, where it keeps its state.
public struct BotSectionSettings: Equatable, Sendable {
    /// A person by verified identity, or (for `ignore`) by mask.
    public enum Person: Hashable, Sendable {
        /// `network/name`: the services account; in `ignore` an account or a `nick!user@host` mask.
        case onNetwork(String, String)
        case matrix(String)
    }

    /// Whom no limit holds.
    public enum Exempt: String, CaseIterable, Sendable {
        case none, admins
    }

    public var admins: [Person] = []
    public var ignored: [Person] = []
    public var exempt = Exempt.none
    /// The folder of the state, an absolute path or one relative to the working directory.
    public var state = "./state"

    public init() {}

    /// Reads the whole section. `networks` are the names that the file gives to IRC networks.
    public init(_ map: ConfigMap, networks: [String]) {
        admins = map.people("admins", networks: networks)
        ignored = map.people("ignore", networks: networks)
        exempt = map.choice("exempt", Exempt.self) ?? .none
        state = map.filePath("state") ?? map.context.resolve("state")
        map.finish()
    }

    /// The services accounts of a network that are admins, as written: compare by that network's CASEMAPPING.
    public func admins(of network: String) -> [String] { Self.names(in: admins, of: network) }

    /// Accounts and masks of a network that are ignored, as written.
    public func ignored(on network: String) -> [String] { Self.names(in: ignored, of: network) }

    public var matrixAdmins: [String] { Self.matrixIDs(in: admins) }
    public var matrixIgnored: [String] { Self.matrixIDs(in: ignored) }

    private static func names(in people: [Person], of network: String) -> [String] {
        people.compactMap { person in
            if case .onNetwork(network, let name) = person { name } else { nil }
        }
    }

    private static func matrixIDs(in people: [Person]) -> [String] {
        people.compactMap { person in
            if case .matrix(let id) = person { id } else { nil }
        }
    }
}

extension ConfigMap {
    fileprivate func people(_ key: String, networks: [String]) -> [BotSectionSettings.Person] {
        (texts(key) ?? []).compactMap { person($0, key: key, networks: networks) }
    }

    private func person(_ text: String, key: String, networks: [String]) -> BotSectionSettings.Person? {
        if text.hasPrefix("@") {
            if isMatrixID(text) { return .matrix(text) }
            fault(key, "expected a Matrix user id such as @alice:example.org")
            return nil
        }
        guard let slash = text.firstIndex(of: "/"), slash != text.startIndex, text.index(after: slash) != text.endIndex
        else {
            fault(key, "expected network/account or @user:server")
            return nil
        }
        let network = String(text[..<slash])
        guard networks.contains(network) else {
            let hint = nearest(to: network, among: networks).map { "; did you mean \($0)?" } ?? ""
            fault(key, "no IRC network is named \(network)\(hint)")
            return nil
        }
        return .onNetwork(network, String(text[text.index(after: slash)...]))
    }

    private func isMatrixID(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":") else { return false }
        return text.index(after: text.startIndex) < colon && text.index(after: colon) < text.endIndex
            && !text.utf8.contains { $0 <= 0x20 }
    }
}
