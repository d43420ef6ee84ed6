public import JSON

extension RoomEncryption {
    /// "recommended default values" of `m.room.encryption`.
    public static let standard = RoomEncryption(rotationMessages: 100, rotationPeriod: 604_800_000)
    static let messages = 1...1_000
    /// From an hour to a week: whoever may change the room's state can't make each message cost a new session for everybody.
    static let period: ClosedRange<Int64> = 3_600_000...604_800_000

    /// The content of an `m.room.encryption`, whatever stands in it: a room with an unknown algorithm is encrypted too.
    public init(content: JSONValue) {
        let messages = content["rotation_period_msgs"]?.integer ?? Int64(Self.standard.rotationMessages)
        let period = content["rotation_period_ms"]?.integer ?? Self.standard.rotationPeriod
        self.init(rotationMessages: Int(clamping: messages), rotationPeriod: period)
    }

    var withinBounds: RoomEncryption {
        RoomEncryption(
            rotationMessages: min(max(rotationMessages, Self.messages.lowerBound), Self.messages.upperBound),
            rotationPeriod: min(max(rotationPeriod, Self.period.lowerBound), Self.period.upperBound))
    }
}
