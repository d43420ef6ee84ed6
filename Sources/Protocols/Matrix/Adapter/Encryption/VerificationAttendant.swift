public import Base
public import MatrixCrypto

/// Who answers for an account when somebody wants to verify it: a person at a terminal.
@Loop public protocol VerificationAttendant: AnyObject {
    /// The account is signed in and has read what came before.
    func ready()
    /// Somebody asks: `accept` or `cancel`.
    func asked(_ id: VerificationID, device: String)
    /// To be compared: `answer`.
    func show(_ id: VerificationID, _ string: ShortString)
    func verified(_ id: VerificationID, _ keys: VerifiedKeys)
    func ended(_ id: VerificationID, _ end: VerificationEnd)
    /// The account is stopped, and why.
    func halted(_ reason: String)
}
