import Base
import Chat
import MatrixAdapter
import MatrixCrypto

/// The account, as far as the talk needs it.
@Loop protocol Verifiable: AnyObject {
    func askToVerify(_ user: String) async -> MatrixAdapter.AskingTrouble?
    func acceptVerification(_ id: VerificationID)
    func answerVerification(_ id: VerificationID, isSame: Bool)
    func cancelVerification(_ id: VerificationID, reason: String?)
}

extension MatrixAdapter: Verifiable {}

/// The talk at the terminal: says what to do, shows the emoji, takes yes or no. Messages of rooms are left alone meanwhile.
@Loop final class VerificationTalk: VerificationAttendant, ChatHandler {
    private enum State {
        case starting
        case waiting
        /// Somebody's request was accepted.
        case meeting(VerificationID)
        case comparing(VerificationID)
        /// Said yes; the other side hasn't yet.
        case confirmed(VerificationID)
        case over
    }

    weak var adapter: (any Verifiable)?
    private let account: String
    private let admins: Set<String>
    private let user: String?
    private let say: (String) -> Void
    private let finish: (Exit, String?) -> Void
    private var state = State.starting

    /// `finish` ends the program, with a word about why unless all went well.
    init(
        of account: String, admins: [String], user: String?, say: @escaping (String) -> Void,
        finish: @escaping (Exit, String?) -> Void
    ) {
        self.account = account
        self.admins = Set(admins)
        self.user = user
        self.say = say
        self.finish = finish
    }

    // MARK: The account

    func ready() {
        guard case .starting = state else { return }
        state = .waiting
        guard let user else {
            return say(
                """
                \(account) is signed in and waits up to ten minutes for a bot admin to ask.
                In Element: open a chat with the bot, its profile, "Verify".
                """)
        }
        say("\(account) is signed in and asks \(user) now: accept the request in your client.")
        Loop.start {
            let trouble = await self.adapter?.askToVerify(user)
            switch trouble {
            case nil: break
            case .noEncryption: self.end(.failed, "encryption is not at work for \(self.account)")
            case .noDevices:
                self.end(
                    .failed,
                    "no device of \(user) is known to the homeserver: is the id right, and does it use encryption?")
            case .busy: self.end(.failed, "the request can't be sent")
            }
        }
    }

    func asked(_ id: VerificationID, device: String) {
        guard user.map({ $0 == id.user }) ?? admins.contains(id.user) else {
            say("\(printable(id.user)) asks too and is refused: only \(user ?? "bot admins") may here.")
            adapter?.cancelVerification(id, reason: "Only the bot's operators verify it.")
            return
        }
        switch state {
        case .starting, .waiting:
            state = .meeting(id)
            say("\(printable(id.user)) asks, from the device \(printable(device)).")
            adapter?.acceptVerification(id)
        case .meeting, .comparing, .confirmed, .over:
            adapter?.cancelVerification(id, reason: "Another verification is under way.")
        }
    }

    func show(_ id: VerificationID, _ string: ShortString) {
        switch state {
        case .waiting, .meeting: break
        case .starting, .comparing, .confirmed, .over:
            adapter?.cancelVerification(id, reason: "Another verification is under way.")
            return
        }
        state = .comparing(id)
        say("\nCompare this with what \(printable(id.user)) sees:\n")
        if !string.emoji.isEmpty {
            say(string.emoji.map { "  \($0.symbol)  \($0.name)" }.joined(separator: "\n") + "\n")
        }
        say("  " + string.decimals.map(String.init).joined(separator: " - ") + "\n")
        ask()
    }

    private func ask() { say("Do they match? yes/no") }

    func verified(_ id: VerificationID, _ keys: VerifiedKeys) {
        guard isOfState(id) else { return }
        let what = keys.masterKey == nil ? "the device \(printable(keys.device))" : "\(printable(id.user))'s identity"
        say("Verified: \(printable(id.user)) trusts this bot now, and \(what) is theirs.")
        end(.asAsked, nil)
    }

    func ended(_ id: VerificationID, _ end: VerificationEnd) {
        // A request that others ask for is no end of ours.
        if case .waiting = state {
            guard user == id.user else { return }
        } else if !isOfState(id) {
            return
        }
        let who = end.isByThem ? "the other side ended it" : "it was ended here"
        self.end(.failed, "not verified: \(who) (\(printable(end.code)): \(printable(end.reason)))")
    }

    func halted(_ reason: String) { end(.failed, "\(account) is stopped: \(reason)") }

    // MARK: The terminal

    func typed(_ line: String) {
        guard case .comparing(let id) = state else { return }
        switch line.lowercased().filter({ !$0.isWhitespace }) {
        case "yes", "y":
            state = .confirmed(id)
            say("Waiting for the other side to say so too.")
            adapter?.answerVerification(id, isSame: true)
        case "no", "n": adapter?.answerVerification(id, isSame: false)
        default: ask()
        }
    }

    /// Nobody can say yes any more.
    func inputEnded() {
        if case .confirmed = state { return }
        end(.failed, "nobody is at the terminal to compare; nothing was verified")
    }

    func timeIsUp() { end(.failed, "nothing was verified within ten minutes") }

    /// The program ends: the other side isn't left waiting.
    func close() {
        if let id = current { adapter?.cancelVerification(id, reason: nil) }
        state = .over
    }

    // MARK: Pieces

    private var current: VerificationID? {
        switch state {
        case .meeting(let id), .comparing(let id), .confirmed(let id): id
        case .starting, .waiting, .over: nil
        }
    }

    private func isOfState(_ id: VerificationID) -> Bool { current == id }

    private func end(_ exit: Exit, _ text: String?) {
        if case .over = state { return }
        if exit == .asAsked { state = .over }
        finish(exit, text)
    }

    // MARK: What people say meanwhile

    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {}
    func changed(_ change: ChatChange, from adapter: any ChatAdapter) {}
}
