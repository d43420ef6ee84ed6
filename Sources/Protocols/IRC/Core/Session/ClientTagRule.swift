/// Which client-only tags a server passes on (ISUPPORT CLIENTTAGDENY): `*,-draft/reply` is none but that one.
struct ClientTagRule: Sendable {
    private var named: Set<String> = []
    private var deniesOthers = false

    init() {}

    init(_ list: String) {
        let entries = list.split(separator: ",").map { String($0) }
        deniesOthers = entries.contains("*")
        named = Set(entries.compactMap { $0.hasPrefix("-") == deniesOthers ? String($0.drop { $0 == "-" }) : nil })
    }

    /// `name` is without the `+` in front.
    func allows(_ name: String) -> Bool { named.contains(name) == deniesOthers }
}
