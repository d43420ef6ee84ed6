import Base
import Chat
import JSON
import Libolm
import MatrixAdapter
import MatrixCrypto
import OpenSSL
import State

/// Compares the keys in the state folder with what a homeserver tells of them, for `gifbot check --live`. A bot may be at work
/// there.
struct KeyLook: Sendable {
    let folder: String
    /// Of the library that reads the keys.
    var trouble: @Sendable () -> String? = { LibolmDriver.trouble }

    func judge(_ answer: JSONValue, user: String, device: String?) -> Finding {
        if let trouble = trouble() { return Finding(isGood: false, "encryption: \(trouble)") }
        let driver = LibolmDriver(random: { randomBytes($0) })
        let files = KeyFiles(
            folder: folder, account: user, log: Log("state", to: Silence()), now: { 0 }, random: { randomBytes($0) })
        let kept = files.peek().flatMap { $0.account.userID == user ? $0 : nil }
        guard let device = device ?? kept?.account.deviceID else {
            return Finding(isGood: true, "encryption: there are no keys yet; gifbot run makes them")
        }
        var stored: IdentityKeys?
        if let kept, kept.account.deviceID == device {
            do throws(OlmError) {
                stored = try driver.account(from: kept.account.pickle, key: kept.pickleKey).identityKeys
            } catch {
                return Finding(
                    isGood: false, "encryption: the keys in the state folder \(Self.reason(error))")
            }
        }
        let report = OwnDeviceReport(answer, user: user, device: device, driver: driver)
        let finding = report.finding(device: device, stored: stored)
        return Finding(isGood: finding.isGood, finding.text)
    }

    private static func reason(_ error: OlmError) -> String {
        switch error.reason {
        case .wrongPickleKey: "were encrypted under another secret than the one there, or are damaged"
        case .badPickle: "are damaged"
        case .badMessage, .unknownOneTimeKey, .unknownMessageIndex, .badKey, .notInstalled, .other:
            "can't be read: \(error.text)"
        }
    }
}

/// Nothing is told: what is found is in the finding.
final class Silence: LogSink {
    func isEnabled(_ level: LogLevel) -> Bool { false }
    func write(_ event: LogEvent) {}
    func addSecret(_ secret: Secret) {}
}
