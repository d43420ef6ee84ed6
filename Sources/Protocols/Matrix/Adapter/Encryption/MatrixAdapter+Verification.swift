import Base
import JSON
import Matrix
public import MatrixCrypto

/// Verification of this account's device by other people.
extension MatrixAdapter {
    /// What somebody's client shows who asks while the bot runs.
    private static let closedBecause =
        "Nobody attends to this bot now. Its operator verifies it with: gifbot verify --user YOUR_ID"
    private static let longestWaitForDevices: Duration = .seconds(30)

    /// Before `start`.
    public func attend(_ attendant: any VerificationAttendant) { self.attendant = attendant }

    func attend(_ encryption: Encryption) {
        let reason = attendant == nil ? Self.closedBecause : nil
        encryption.verify { desk, _ in desk.closedBecause = reason }
    }

    // MARK: What the attendant says

    public enum AskingTrouble: Equatable, Sendable {
        case noEncryption
        case noDevices
        case busy
    }

    /// Asks somebody, in the chat of two that there is, else all of their devices. Nil when they are asked.
    public func askToVerify(_ user: String) async -> AskingTrouble? {
        guard let encryption, let session else { return .noEncryption }
        let deadline = clock.now + Self.longestWaitForDevices
        guard let devices = await encryption.devices(of: user, by: deadline), !devices.isEmpty else {
            return .noDevices
        }
        if let room = directChats.room(with: user) ?? directChats.doubtfulRoom(with: user),
            session.rooms[room]?.maySpeak(session.userID) == true
        {
            return askToVerify(user, in: room, encryption) ? nil : .busy
        }
        encryption.verify { desk, now in _ = desk.ask(user, devices: devices, now: now) }
        return nil
    }

    private func askToVerify(_ user: String, in room: String, _ encryption: Encryption) -> Bool {
        let content = VerificationDesk.roomRequest(from: encryption.userID, encryption.deviceID, to: user)
        guard let bytes = try? JSONWriter.canonical(content) else { return false }
        let transaction = newTransaction("verify", "")
        verificationRequests[transaction] = user
        let event = OutgoingEvent(
            room: room, type: "m.room.message", transactionID: transaction, content: bytes, answers: transaction)
        return sender.add(event)
    }

    public func acceptVerification(_ id: VerificationID) { encryption?.verify { desk, _ in desk.accept(id) } }

    /// Whether the strings are the same.
    public func answerVerification(_ id: VerificationID, isSame: Bool) {
        encryption?.verify { desk, _ in desk.answer(id, isSame: isSame) }
    }

    public func cancelVerification(_ id: VerificationID, reason: String?) {
        encryption?.verify { desk, _ in desk.cancel(id, reason: reason) }
    }

    // MARK: What came

    func verificationCame(_ event: ToDeviceEvent) {
        verificationCame(
            VerificationMessage(type: event.type, sender: event.sender, content: event.content, place: .toDevice))
    }

    func verificationCame(_ message: VerificationMessage) {
        log.debug("a step of a verification came", ["from": message.sender, "type": message.type])
        if attendant == nil, message.isRequest,
            failures.isNews("verification of " + message.sender, now: clock.now)
        {
            log.info(
                "somebody wants to verify this device: stop the bot and run gifbot verify", ["account": network])
        }
        encryption?.verify { desk, now in desk.received(message, now: now) }
    }

    /// Our own request has an id now, so its answers can be told.
    func verificationDelivered(_ event: OutgoingEvent, as id: String) {
        guard let user = verificationRequests.removeValue(forKey: event.transactionID) else { return }
        let room = event.room
        encryption?.verify { desk, now in _ = desk.asked(user, in: room, by: id, now: now) }
    }

    func carryOut(_ effects: [VerificationEffect]) {
        for effect in effects {
            switch effect {
            case .inRoom(let room, let type, let content): say(type, content, in: room)
            case .asked(let id, let device):
                if let attendant {
                    attendant.asked(id, device: device)
                } else {
                    cancelVerification(id, reason: Self.closedBecause)
                }
            case .show(let id, let string): attendant?.show(id, string)
            case .verified(let id, let keys): attendant?.verified(id, keys)
            case .ended(let id, let end): attendant?.ended(id, end)
            // The desk's.
            case .toDevice, .follow: break
            }
        }
    }

    private func say(_ type: String, _ content: JSONValue, in room: String) {
        guard let bytes = try? JSONWriter.canonical(content), session?.mayTalk(in: room) == true else { return }
        let transaction = newTransaction("verify", "")
        let event = OutgoingEvent(
            room: room, type: type, transactionID: transaction, content: bytes, answers: transaction)
        if !sender.add(event) { log.warning("a step of a verification is not sent: the room's queue is full") }
    }
}
