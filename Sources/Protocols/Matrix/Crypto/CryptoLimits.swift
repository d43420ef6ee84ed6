/// What is kept at most, so that nobody can fill the disk or the memory. What goes first is said at each.
public enum CryptoLimits {
    /// Sessions with all devices together; those unused for longest go.
    public static let olmSessions = 50_000
    /// Sessions with one device ("at least 4"); those unused for longest go.
    public static let olmSessionsOfDevice = 6
    /// Keys to read one person's messages, over all rooms; those received first go, at the next that comes.
    public static let inboundSessionsOfSender = 2_000
    /// How far below the highest index of a session a message may lie; below that a replay can't be told any more.
    public static let replayWindow: UInt32 = 4_096
    /// Devices of one person; those beyond get no keys.
    public static let devicesOfUser = 500
    /// The first devices of everybody have a place, whoever else has how many.
    public static let sureDevices = 4
    /// Devices of all together, with the sure ones of `DeviceTracker.mostUsers` people; those that come when the others are
    /// taken get no keys.
    public static let devices = 100_000
}
