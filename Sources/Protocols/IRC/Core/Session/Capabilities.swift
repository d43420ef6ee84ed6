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
            hasLabels = has("labeled-response") && has("echo-message") && has("batch")
        }
    }
    /// Looked at for each answer, so not looked up each time.
    private(set) var hasTags = false
    /// A label on a message of ours comes back on its echo; the answer to a label may be a batch.
    private(set) var hasLabels = false
    /// Asked for and not yet answered, each with the number of its request, or `alone`.
    private var pending: [String: Int] = [:]
    /// Of names that have a request of their own: a refusal is about nothing else, so it's final.
    private static let alone = 0
    private var requests = 0

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
            pending[String(name)] = nil
        }
    }

    /// What to ask for now, one REQ for each entry.
    mutating func request(withLogin: Bool) -> [String] {
        let names = offered.keys.filter { name in
            !enabled.contains(name) && pending[name] == nil
                && (Self.known.contains(name) || (withLogin && name == "sasl"))
        }.sorted()
        let lists = names.reduce(into: [String]()) { lists, name in
            if let last = lists.last, last.utf8.count + 1 + name.utf8.count <= Self.requestLimit {
                lists[lists.count - 1] = last + " " + name
            } else {
                lists.append(name)
            }
        }
        for list in lists { note(list.split(separator: " ").map { String($0) }) }
        return lists
    }

    private mutating func note(_ request: [String]) {
        requests += 1
        for name in request { pending[name] = request.count == 1 ? Self.alone : requests }
    }

    /// An answer may come in several lines.
    mutating func acknowledge(_ list: String) {
        for word in list.split(separator: " ") {
            if word.hasPrefix("-") {
                enabled.remove(String(word.dropFirst()))
            } else if pending.removeValue(forKey: String(word)) != nil {
                enabled.insert(String(word))
            }
        }
    }

    /// A whole request was refused because of one of its names: what to ask for one by one. A name refused alone is given
    /// up, so that each name is asked for twice at most, whatever the server says.
    mutating func refuse(_ list: String) -> [String] {
        let named = Set(list.split(separator: " ").map { String($0) }).intersection(pending.keys)
        // A server may cut a long list off: one name tells the request, and without any it may be each of them.
        let meant = Set(named.compactMap { pending[$0] }).subtracting([Self.alone])
        let refused = pending.filter { name, request in
            named.isEmpty || named.contains(name) || meant.contains(request)
        }
        for (name, request) in refused where request == Self.alone {
            pending[name] = nil
            offered[name] = nil
        }
        let again = refused.filter { $0.value != Self.alone }.keys.sorted()
        for name in again { pending[name] = Self.alone }
        return again
    }
}
