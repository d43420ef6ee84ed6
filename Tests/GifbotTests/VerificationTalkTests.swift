import Base
import MatrixAdapter
@testable import MatrixCrypto
import TestSupport
import Testing

@testable import gifbot

@Loop struct VerificationTalkTests {
    private let alice = VerificationID(room: nil, user: "@alice:a", transaction: "t")
    private let mallory = VerificationID(room: nil, user: "@mallory:m", transaction: "t")

    /// An account that notes what it is told, and what the terminal shows.
    @Loop private final class Stage: Verifiable {
        var done: [String] = []
        var said = ""
        var end: (Exit, String?)?
        var trouble: MatrixAdapter.AskingTrouble?

        func askToVerify(_ user: String) async -> MatrixAdapter.AskingTrouble? {
            done.append("ask \(user)")
            return trouble
        }
        func acceptVerification(_ id: VerificationID) { done.append("accept \(id.user)") }
        func answerVerification(_ id: VerificationID, isSame: Bool) { done.append("answer \(isSame)") }
        func cancelVerification(_ id: VerificationID, reason: String?) { done.append("cancel \(id.user)") }

        func talk(user: String? = nil) -> VerificationTalk {
            let talk = VerificationTalk(
                of: "home", admins: ["@alice:a"], user: user, say: { self.said += $0 + "\n" },
                finish: { if self.end == nil { self.end = ($0, $1) } })
            talk.adapter = self
            return talk
        }
    }

    private func string() throws -> ShortString {
        try #require(ShortString([0, 0, 0, 0, 0, 0], hasEmoji: true))
    }

    @Test func anAdminAsksAndSaysYes() throws {
        let stage = Stage()
        let talk = stage.talk()
        talk.ready()
        #expect(stage.said.contains("waits up to ten minutes"))
        talk.asked(alice, device: "PHONE\u{1b}[2J")
        #expect(stage.said.contains("from the device PHONE[2J"))
        talk.show(alice, try string())
        #expect(stage.said.contains("🐶  Dog") && stage.said.contains("1000 - 1000 - 1000"))
        talk.typed("what?")
        talk.typed(" YES ")
        talk.typed("no")
        #expect(stage.done == ["accept @alice:a", "answer true"])
        talk.inputEnded()
        #expect(stage.end == nil)
        talk.verified(alice, VerifiedKeys(device: "PHONE", isDeviceVerified: true, masterKey: "key"))
        #expect(stage.end?.0 == .asAsked && stage.end?.1 == nil)
        #expect(stage.said.contains("trusts this bot now"))
    }

    @Test func nobodyElseMay() throws {
        let stage = Stage()
        let talk = stage.talk()
        talk.ready()
        talk.asked(mallory, device: "EVIL")
        #expect(stage.done == ["cancel @mallory:m"])
        talk.ended(mallory, .declined)
        #expect(stage.end == nil)
        talk.asked(alice, device: "PHONE")
        #expect(stage.done.last == "accept @alice:a")
    }

    @Test func whatDiffersIsAFailure() throws {
        let stage = Stage()
        let talk = stage.talk()
        talk.ready()
        talk.asked(alice, device: "PHONE")
        talk.show(alice, try string())
        talk.typed("no")
        #expect(stage.done.last == "answer false")
        talk.ended(alice, .stringsDiffer)
        #expect(stage.end?.0 == .failed && stage.end?.1?.contains("m.mismatched_sas") == true)
    }

    @Test func nobodyAtTheTerminalVerifiesNothing() throws {
        let stage = Stage()
        let talk = stage.talk()
        talk.ready()
        talk.asked(alice, device: "PHONE")
        talk.show(alice, try string())
        talk.inputEnded()
        #expect(stage.end?.0 == .failed)
        talk.close()
        #expect(stage.done.last == "cancel @alice:a")
    }

    @Test func aSecondOneWaits() throws {
        let stage = Stage()
        let talk = stage.talk()
        talk.ready()
        talk.asked(alice, device: "PHONE")
        talk.asked(VerificationID(room: "!r", user: "@alice:a", transaction: "$e"), device: "TABLET")
        #expect(stage.done == ["accept @alice:a", "cancel @alice:a"])
    }

    @Test func timeAndTheServerEndIt() {
        for end in [{ (talk: VerificationTalk) in talk.timeIsUp() }, { $0.halted("logged out") }] {
            let stage = Stage()
            let talk = stage.talk()
            talk.ready()
            end(talk)
            #expect(stage.end?.0 == .failed)
        }
    }
}
