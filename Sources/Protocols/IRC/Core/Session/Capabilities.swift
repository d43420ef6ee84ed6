/// Capability negotiation (IRCv3 capability-negotiation, version 302).
struct Capabilities: Sendable {
    /// Only what is understood here is asked for: a request with one unknown name is refused whole.
    static let known: Set<String> = [
        "account-notify", "account-tag", "batch", "cap-notify", "chghost", "draft/message-redaction", "draft/multiline",
        "echo-message", "extended-join", "invite-notify", "labeled-response", "message-tags", "multi-prefix",
        "server-time", "setname", "standard-replies", "userhost-in-names",
        // A bouncer's names for the same.
        "znc.in/batch", "znc.in/server-time-iso",
    ]
    /// Names a server may list; a list without end is not kept.
    private static let listLimit = 200
    /// Bytes of names in one REQ, so that the server's ACK, with its own name and ours in front, is still one line.
    private static let requestLimit = 380

    private(set) var offered: [String: String] = [:]
    private(set) var enabled: Set<String> = [] {
        didSet {
            hasTags = has("message-tags")
            hasLabels = has("labeled-response") && has("echo-message")
        }
    }
    /// Looked at for each answer, so not looked up each time.
    private(set) var hasTags = false
    /// A label on a message of ours comes back on its echo.
    private(set) var hasLabels = false
    /// Asked for and not yet answered.
    private(set) var pending: Set<String> = []

    func has(_ name: String) -> Bool { enabled.contains(name) }

    var isAnswered: Bool { pending.isEmpty }

    /// The messages' account comes as a tag, so nobody's account has to be remembered.
    var tellsAccounts: Bool { has("account-tag") }
    var tellsTime: Bool { has("server-time") || has("znc.in/server-time-iso") }
    /// Our own messages come back, with their ids.
    var tellsOwnIDs: Bool { hasTags && has("echo-message") }

    mutating func offer(_ list: String) {
        for word in list.split(separator: " ") where offered.count < Self.listLimit {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard let name = parts.first else { continue }
            offered[String(name)] = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    mutating func withdraw(_ list: String) {
        for name in list.split(separator: " ") {
            offered[String(name)] = nil
            enabled.remove(String(name))
            pending.remove(String(name))
        }
    }

    /// What to ask for now, one REQ for each entry.
    mutating func request(withLogin: Bool) -> [String] {
        let names = offered.keys.filter { name in
            !enabled.contains(name) && (Self.known.contains(name) || (withLogin && name == "sasl"))
        }.sorted()
        pending.formUnion(names)
        return names.reduce(into: []) { lists, name in
            if let last = lists.last, last.utf8.count + 1 + name.utf8.count <= Self.requestLimit {
                lists[lists.count - 1] = last + " " + name
            } else {
                lists.append(name)
            }
        }
    }

    /// An answer may come in several lines.
    mutating func acknowledge(_ list: String) {
        for word in list.split(separator: " ") {
            if word.hasPrefix("-") {
                enabled.remove(String(word.dropFirst()))
            } else if pending.remove(String(word)) != nil {
                enabled.insert(String(word))
            }
        }
    }

    /// A whole request was refused because of one of its names: what to ask for one by one. A name refused alone is given
    /// up.
    mutating func refuse(_ list: String) -> [String] {
        let names = Set(list.split(separator: " ").map { String($0) })
        // A server may cut a long list off; then it can't be told which request is meant.
        let refused = pending.isDisjoint(with: names) ? pending : pending.intersection(names)
        guard refused.count == 1 else { return refused.sorted() }
        pending.subtract(refused)
        for name in refused { offered[name] = nil }
        return []
    }
}
