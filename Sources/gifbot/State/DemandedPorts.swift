/// Ports to which plain connections were sent (IRCv3 sts), by host; never written down. Hosts come from the config, so
/// there are few. At the bound the oldest goes.
struct DemandedPorts: Sendable {
    static let most = 1_000

    private var ports: [(host: String, port: Int)] = []

    subscript(host: String) -> Int? {
        get { ports.first { $0.host == host }?.port }
        set {
            ports.removeAll { $0.host == host }
            guard let newValue else { return }
            if ports.count == Self.most { ports.removeFirst() }
            ports.append((host, newValue))
        }
    }
}
