import JSON

/// Encrypted to-device events other than room keys: they wait until there is a session with their device.
final class DirectMessages: CryptoPart {
    /// What waits; beyond it the oldest go.
    private static let limit = 500

    private struct Letter {
        let type: String
        let content: JSONValue
        let device: Device
    }

    private let writer: OlmWriter
    private let sessions: OlmSessions
    private let starter: SessionStarter
    private let toDevice: ToDeviceOutbox
    private var waiting: [Letter] = []

    init(_ writer: OlmWriter, _ sessions: OlmSessions, _ starter: SessionStarter, _ toDevice: ToDeviceOutbox) {
        self.writer = writer
        self.sessions = sessions
        self.starter = starter
        self.toDevice = toDevice
    }

    /// With `inNewSession` it is what makes a new session known (`m.dummy`).
    func send(_ type: String, _ content: JSONValue, to device: Device, inNewSession: Bool = false) {
        starter.want(device, isForced: inNewSession)
        waiting.append(Letter(type: type, content: content, device: device))
        if waiting.count > Self.limit { waiting.removeFirst() }
    }

    func makeCalls(now: Int64) throws(CryptoError) {
        guard !waiting.isEmpty else { return }
        var stillWaiting: [Letter] = []
        for (index, letter) in waiting.enumerated() {
            if starter.isPending(SessionPeer(letter.device)) {
                stillWaiting.append(letter)
                continue
            }
            do throws(CryptoError) {
                guard
                    let content = try writer.encrypt(type: letter.type, content: letter.content, for: letter.device)
                else { continue }
                let name = DeviceName(user: letter.device.user, device: letter.device.id)
                toDevice.send("m.room.encrypted", content, to: [name])
            } catch {
                // What can't be written never can; the rest is tried again.
                guard error != .unusableContent else { continue }
                waiting = stillWaiting + waiting[index...]
                throw error
            }
        }
        waiting = stillWaiting
    }

    var nextDeadline: Int64? { nil }
}
