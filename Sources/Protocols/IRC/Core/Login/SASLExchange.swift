/// One try to log in with one mechanism, from its name to the server's verdict.
struct SASLExchange: Sendable {
    enum Step: Equatable {
        case wait
        case respond([UInt8])
        case work(LoginWork)
        /// The server does not keep to the mechanism, or can't be trusted. `isRefusal`: it says that the password is wrong.
        case abort(String, isRefusal: Bool)

        static func abort(_ reason: String) -> Step { .abort(reason, isRefusal: false) }
    }

    /// Each is left with the server's next message or our caller's next answer; a verdict ends the exchange in any.
    private enum Stage: Equatable {
        /// We have named the mechanism; the server says `+`.
        case named
        /// Our caller fetches random bytes.
        case nonce
        /// The server sends its challenge, for a proof or a signature.
        case challenge
        /// Our caller works on it.
        case working
        /// The server proves itself.
        case verification
        /// We have said all there is to say.
        case complete
    }

    let mechanism: SASLMechanism
    /// Something that the server could check has gone out: if it says no now, it means that.
    private(set) var hasShownCredential = false
    private let login: IRCSettings.Login
    private var stage = Stage.named
    private var pieces = SASLPieces()
    private var scram: ScramClient

    init(_ mechanism: SASLMechanism, _ login: IRCSettings.Login) {
        self.mechanism = mechanism
        self.login = login
        scram = ScramClient(username: login.username, password: login.password ?? "")
    }

    /// False while the server still owes us a proof that it is the right one.
    var mayEnd: Bool { mechanism != .scramSHA256 || stage == .complete }

    /// The parameter of an AUTHENTICATE of the server.
    mutating func received(_ piece: String) -> Step {
        switch pieces.received(piece) {
        case .unfinished: .wait
        case .fault(let reason): .abort(reason)
        case .message(let bytes): heard(bytes)
        }
    }

    private mutating func heard(_ bytes: [UInt8]) -> Step {
        switch stage {
        case .named: bytes.isEmpty ? begin() : .abort("the server spoke first")
        case .challenge: challenged(bytes)
        case .verification: verify(bytes)
        case .nonce, .working, .complete: .abort("the server spoke out of turn")
        }
    }

    private mutating func begin() -> Step {
        let name = Array(login.username.utf8)
        switch mechanism {
        case .external:
            hasShownCredential = true
            stage = .complete
            return .respond(name)
        case .ecdsa:
            stage = .challenge
            return .respond(name)
        case .scramSHA256:
            stage = .nonce
            return .work(.randomBytes(ScramClient.nonceLength))
        case .plain:
            hasShownCredential = true
            stage = .complete
            return .respond(name + [0] + name + [0] + Array((login.password ?? "").utf8))
        }
    }

    private mutating func challenged(_ bytes: [UInt8]) -> Step {
        stage = .working
        switch mechanism {
        case .external, .plain: return .abort("the server wants more than the mechanism has")
        case .ecdsa:
            // A signature over anything else could be meant for somebody else.
            guard bytes.count == 32 else { return .abort("the server's challenge has \(bytes.count) bytes, not 32") }
            return .work(.signature(of: bytes))
        case .scramSHA256:
            do throws(ScramFault) {
                return .work(.proof(try scram.challenge(bytes)))
            } catch {
                return .abort(error.reason)
            }
        }
    }

    private mutating func verify(_ bytes: [UInt8]) -> Step {
        do throws(ScramFault) {
            try scram.verify(bytes)
            stage = .complete
            return .respond([])
        } catch {
            return .abort(error.reason, isRefusal: error.isRefusal)
        }
    }

    /// What the caller has found; nothing is done with an answer that wasn't asked for.
    mutating func worked(_ answer: LoginAnswer) -> Step {
        switch (answer, stage) {
        case (.failed(let reason), .nonce), (.failed(let reason), .working): return .abort(reason)
        case (.randomBytes(let bytes), .nonce):
            stage = .challenge
            return .respond(scram.first(random: bytes))
        case (.proof(let proof), .working) where mechanism == .scramSHA256:
            hasShownCredential = true
            stage = .verification
            return .respond(scram.final(proof))
        case (.signature(let bytes), .working) where mechanism == .ecdsa:
            hasShownCredential = true
            stage = .complete
            return .respond(bytes)
        case (.failed, _), (.randomBytes, _), (.proof, _), (.signature, _): return .wait
        }
    }
}
