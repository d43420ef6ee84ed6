import JSON
import Libolm
import OpenSSL

@testable import MatrixCrypto

/// A device that verifies, and all that it wanted done.
final class Person {
    let name: DeviceName
    let desk: VerificationDesk
    let book: AddressBook
    private(set) var told: [VerificationEffect] = []
    var sent: [VerificationEffect] = []

    init(_ user: String, _ device: String, in book: AddressBook, hasMaster: Bool = true) {
        name = DeviceName(user: user, device: device)
        self.book = book
        let key = Base64.encode(randomBytes(32))
        let master = hasMaster ? Base64.encode(randomBytes(32)) : nil
        let old = book.users[user]
        let entry = Device(
            user: user, id: device, curve25519: key, ed25519: key, algorithms: [], isCrossSigned: hasMaster)
        book.users[user] = StoredUser(
            id: user, isOutdated: false, devices: (old?.devices ?? []) + [entry],
            identity: master.map { UserIdentity(masterKey: $0, selfSigningKey: nil) } ?? old?.identity)
        desk = VerificationDesk(
            user: user, device: device, deviceKey: key, driver: LibolmDriver(random: randomBytes),
            sha256: SHA256.hash, random: randomBytes, user: { book.users[$0] })
        desk.masterKey = master ?? old?.identity?.masterKey
    }

    var master: String? { desk.masterKey }

    /// Sorts out what the desk wants.
    func collect() {
        for effect in desk.takeEffects() {
            switch effect {
            case .toDevice, .inRoom: sent.append(effect)
            case .follow, .asked, .show, .verified, .ended: told.append(effect)
            }
        }
    }

    var asked: VerificationID? {
        for case .asked(let id, _) in told.reversed() { return id }
        return nil
    }
    var shown: (id: VerificationID, string: ShortString)? {
        for case .show(let id, let string) in told.reversed() { return (id, string) }
        return nil
    }
    var verified: VerifiedKeys? {
        for case .verified(_, let keys) in told.reversed() { return keys }
        return nil
    }
    var end: VerificationEnd? {
        for case .ended(_, let end) in told.reversed() { return end }
        return nil
    }
}

/// What the homeservers tell of everybody's keys.
final class AddressBook {
    var users: [String: StoredUser] = [:]
}

/// Brings people's messages to each other, in order.
final class Mail {
    let people: [Person]
    let now: Int64 = 1_000_000_000
    /// May change a message on its way, or lose it.
    var change: (_ type: String, _ content: JSONValue) -> JSONValue? = { $1 }
    private(set) var types: [String] = []
    private var eventCount = 0

    init(_ people: Person...) { self.people = people }

    /// Until nobody has anything to say.
    func deliver() {
        while true {
            people.forEach { $0.collect() }
            guard let from = people.first(where: { !$0.sent.isEmpty }) else { return }
            let effect = from.sent.removeFirst()
            switch effect {
            case .toDevice(let type, let content, let devices): carry(type, content, from, to: devices)
            case .inRoom(let room, let type, let content):
                eventCount += 1
                carry(type, content, from, in: room, event: "$\(eventCount)")
            case .follow, .asked, .show, .verified, .ended: break
            }
        }
    }

    /// As an `m.room.message` would bring it.
    func request(_ from: Person, to: Person, in room: String) -> VerificationID? {
        let id = from.desk.asked(to.name.user, in: room, by: "$request", now: now)
        carry(
            "m.key.verification.request",
            VerificationDesk.roomRequest(from: from.name.user, from.name.device, to: to.name.user), from, in: room,
            event: "$request")
        return id
    }

    private func carry(_ type: String, _ content: JSONValue, _ from: Person, to devices: [DeviceName]) {
        types.append(String(type.dropFirst("m.key.verification.".count)))
        guard let content = change(type, content) else { return }
        for person in people
        where devices.contains(where: { $0.user == person.name.user && ["*", person.name.device].contains($0.device) })
        {
            person.desk.received(
                VerificationMessage(type: type, sender: from.name.user, content: content, place: .toDevice), now: now)
        }
    }

    private func carry(_ type: String, _ content: JSONValue, _ from: Person, in room: String, event: String) {
        types.append(String(type.dropFirst("m.key.verification.".count)))
        guard let content = change(type, content) else { return }
        for person in people {
            person.desk.received(
                VerificationMessage(
                    type: type, sender: from.name.user, content: content,
                    place: .room(room, event: event, time: now)), now: now)
        }
    }
}
