/// What the operator is told of keys, in words fit for a log.
public enum CryptoNotice: Equatable, Sendable {
    /// Somebody has new cross-signing keys; it is taken, since nobody was verified by the bot.
    case identityChanged(user: String)
    /// A server tells another key for a known device: the old one stays.
    case deviceKeyChanged(user: String, device: String)
    /// Unsigned, of another user, or with a key of another device: left out.
    case unusableDevice(user: String, device: String)

    /// Cross-signing keys were made and taken by the server.
    case identityMade
    case deviceSigned
    /// The server wants a password before it takes cross-signing keys, and none helped.
    case identityNeedsPassword
    case identityRefused(errcode: String, text: String)
    /// The account has cross-signing keys that the bot hasn't: a recovery key would open them.
    case recoveryKeyNeeded
    /// The recovery key given doesn't open what the account has in secret storage.
    case recoveryKeyUnfit(String)
    case identityRestored
    /// Secret storage of somebody else's making is there: the bot's secrets are not put into it.
    case secretStorageTaken
    /// The recovery key lies in the state folder.
    case recoveryKeyMade

    /// Whether the operator has something to do or to think about.
    public var isWarning: Bool {
        switch self {
        case .identityMade, .deviceSigned, .identityRestored, .recoveryKeyMade, .unusableDevice: false
        case .identityChanged, .deviceKeyChanged, .identityNeedsPassword, .identityRefused, .recoveryKeyNeeded,
            .recoveryKeyUnfit, .secretStorageTaken:
            true
        }
    }

    public var text: String {
        switch self {
        case .identityChanged(let user): "\(user) has new cross-signing keys: theirs, or a homeserver's that lies"
        case .deviceKeyChanged(let user, let device):
            "the homeserver tells another key for the device \(device) of \(user); it is not taken"
        case .unusableDevice(let user, let device):
            "the keys of the device \(device) of \(user) can't be right: unsigned, or another's"
        case .identityMade: "the account has cross-signing keys now"
        case .deviceSigned: "this device is signed by its account"
        case .identityNeedsPassword:
            """
            the homeserver wants the account's password before it takes cross-signing keys: set "password" for a start, or \
            approve it on the server; until then the device is unsigned, and many clients neither give it keys nor show \
            what it says
            """
        case .identityRefused(let errcode, let text):
            """
            the homeserver didn't take the cross-signing keys (\(errcode): \(text)); the device is unsigned, and many clients \
            neither give it keys nor show what it says
            """
        case .recoveryKeyNeeded:
            """
            the account has cross-signing keys that this bot doesn't hold, so it can't sign its device: give their recovery key \
            as "recovery_key" (or recovery_key_file) in the account's settings; they are never replaced unasked
            """
        case .recoveryKeyUnfit(let reason): "the recovery key given is of no use: \(reason)"
        case .identityRestored: "the cross-signing keys were read from secret storage with the recovery key"
        case .secretStorageTaken:
            """
            the account has secret storage that the bot didn't make; its keys are not put into it, and are in the bot's own \
            store alone
            """
        case .recoveryKeyMade:
            "a recovery key was made: gifbot verify --recovery-key shows it once; keep it somewhere else than on this machine"
        }
    }
}
