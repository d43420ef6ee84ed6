/// Who is in an encrypted room, or invited to it: whoever writes there has to know all of them, and members are loaded lazily. The
/// whole list is asked for once; from then on the timeline keeps it.
struct RoomMembers: Equatable, Sendable {
    private enum State: Equatable {
        case unknown
        /// The answer shows the room at a moment that isn't known exactly, so what the timeline told since is laid over it.
        case asked(changes: [String: Place])
        case known([String: Place])
    }

    enum Place: Equatable {
        case joined
        case invited
        case outside
    }

    private var state = State.unknown

    var isKnown: Bool {
        if case .known = state { true } else { false }
    }

    mutating func ask() {
        if case .known = state { return }
        state = .asked(changes: [:])
    }

    /// Events were left out: nobody knows who came and went.
    mutating func doubt() { state = .unknown }

    /// The answer of `/members`.
    mutating func learned(_ people: RoomPeople) {
        guard case .asked(let changes) = state else { return }
        var places: [String: Place] = [:]
        for user in people.joined { places[user] = .joined }
        for user in people.invited { places[user] = .invited }
        state = .known(places.merging(changes) { $1 }.filter { $0.value != .outside })
    }

    mutating func apply(_ event: MatrixEvent) {
        guard event.type == "m.room.member", let user = event.stateKey else { return }
        let place: Place =
            switch event.content.membership {
            case "join": .joined
            case "invite": .invited
            default: .outside
            }
        switch state {
        case .unknown: break
        case .asked(var changes):
            changes[user] = place
            state = .asked(changes: changes)
        case .known(var places):
            // Not held twice while it changes.
            state = .unknown
            places[user] = place == .outside ? nil : place
            state = .known(places)
        }
    }

    /// Sorted, so that the same people are the same list; nil while it isn't known.
    func people(at wanted: Place) -> [String]? {
        guard case .known(let places) = state else { return nil }
        return places.filter { $0.value == wanted }.map(\.key).sorted()
    }
}
