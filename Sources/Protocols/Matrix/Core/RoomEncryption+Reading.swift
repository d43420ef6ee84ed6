import MatrixCrypto

extension RoomEncryption {
    /// What a room asks of sessions, as written: the machine holds it to sane numbers. Nil for an algorithm that isn't known
    /// here.
    init?(_ content: EventContent) {
        guard content.algorithm == "m.megolm.v1.aes-sha2" else { return nil }
        let standard = RoomEncryption.standard
        self.init(
            rotationMessages: content.rotationMessages.map { Int(clamping: $0) } ?? standard.rotationMessages,
            rotationPeriod: content.rotationPeriod ?? standard.rotationPeriod)
    }
}
