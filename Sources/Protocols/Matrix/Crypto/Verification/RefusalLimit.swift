/// How many requests are answered that nobody here attends to: a few for a person and for all together in ten minutes.
/// Beyond that it is silent.
struct RefusalLimit {
    static let ofPerson = 5
    static let ofAll = 30
    static let window: Int64 = 600_000

    private var answered: [(user: String, time: Int64)] = []

    mutating func allows(_ user: String, now: Int64) -> Bool {
        answered.removeAll { $0.time <= now - Self.window || $0.time > now }
        guard answered.count < Self.ofAll, answered.count(where: { $0.user == user }) < Self.ofPerson else {
            return false
        }
        answered.append((user, now))
        return true
    }
}
