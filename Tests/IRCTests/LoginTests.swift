import Testing

@testable import IRC

/// What the transcripts can't show of a login: sizes, cuts, rubbish, and answers that come late.
@Suite("SASL")
struct LoginTests {
    private func exchange(_ mechanism: SASLMechanism, password: String = "pencil") -> SASLExchange {
        SASLExchange(mechanism, IRCSettings.Login(username: "user", password: password, mechanisms: [mechanism]))
    }

    @Test(
        "C6: pieces of 400, and a + behind a last one of full length",
        arguments: [
            (0, ["+"]), (1, ["AA=="]), (297, [396]), (299, [400, 0]), (300, [400, 0]), (301, [400, 4]),
            (600, [400, 400, 0]),
        ] as [(Int, [any Sendable])])
    func cut(count: Int, lengths: [any Sendable]) {
        let pieces = SASLPieces.cut([UInt8](repeating: 0, count: count))
        #expect(pieces.count == lengths.count)
        for (piece, expected) in zip(pieces, lengths) {
            if let text = expected as? String {
                #expect(piece == text)
            } else if let length = expected as? Int {
                #expect(length == 0 ? piece == "+" : piece.utf8.count == length)
            }
        }
    }

    @Test(
        "C6: what is cut is put together again, whatever its length",
        arguments: [0, 1, 2, 299, 300, 301, 599, 600, 900])
    func roundTrip(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var pieces = SASLPieces()
        let outcomes = SASLPieces.cut(bytes).map { pieces.received($0) }
        #expect(outcomes.last == .message(bytes))
        #expect(outcomes.dropLast().allSatisfy { $0 == .unfinished })
        // And once more with the same one.
        #expect(SASLPieces.cut([9]).map { pieces.received($0) } == [.message([9])])
    }

    @Test("C6: a server's part without end, or longer than a piece, or not in Base64, is refused")
    func senseless() {
        var endless = SASLPieces()
        let full = String(repeating: "A", count: 400)
        let outcomes = (0..<30).map { _ in endless.received(full) }
        #expect(outcomes[19] == .unfinished)
        #expect(outcomes[20] == .fault("the server's part of the login is too long"))
        var long = SASLPieces()
        #expect(long.received(full + "A") == .fault("the server's part of the login is too long"))
        for text in ["A", "AA", "AAA", "A===", "AA=A", "AAAA=", "AB==", "é===", "AA A", "*"] {
            var pieces = SASLPieces()
            #expect(pieces.received(text) == .fault("the server's part of the login is no Base64"), "\(text)")
        }
        var empty = SASLPieces()
        #expect(empty.received("") == .message([]))
    }

    @Test("Base64 of RFC 4648 section 10, both ways")
    func base64() {
        for (plain, coded) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.encode(Array(plain.utf8)) == coded)
            #expect(Base64.decode(coded) == Array(plain.utf8))
        }
        #expect(Base64.decode(Base64.encode(Array(0...255))) == Array(0...255))
    }

    @Test("C7: only answers that were asked for count, and only once")
    func unasked() {
        var plain = exchange(.plain)
        #expect(plain.worked(.randomBytes([1])) == .wait)
        #expect(plain.worked(.failed("x")) == .wait)
        var scram = exchange(.scramSHA256)
        #expect(scram.worked(.signature([1])) == .wait)
        #expect(scram.received("+") == .work(.randomBytes(18)))
        #expect(scram.received("+") == .abort("the server spoke out of turn", isRefusal: false))
        guard case .respond = scram.worked(.randomBytes([1, 2, 3])) else {
            Issue.record("no first message")
            return
        }
        #expect(scram.worked(.randomBytes([1, 2, 3])) == .wait)
        #expect(!scram.hasShownCredential)
        #expect(!scram.mayEnd)
    }

    @Test(
        "C7: a challenge in any other shape is refused and nothing crashes",
        arguments: [
            "", ",", ",,", "r=", "r=AQIDx", "r=AQIDx,s=AAAA", "r=AQIDx,s=AAAA,i=", "r=AQIDx,s=AAAA,i=-4096",
            "r=AQIDx,s=AAAA,i=99999999999999999999", "r=AQIDx,s=,i=4096", "r=AQIDx,s=A,i=4096", "s=AAAA,r=AQIDx,i=4096",
            "r=AQID,s=AAAA,i=4096", "r=xAQID,s=AAAA,i=4096", "e=no-resources", "r=AQIDx,s=AAAA,i=4096k",
        ])
    func challenges(text: String) {
        var scram = ScramClient(username: "user", password: "pencil")
        #expect(scram.first(random: [1, 2, 3]) == Array("n,,n=user,r=AQID".utf8))
        #expect(throws: ScramFault.self) { try scram.challenge(Array(text.utf8)) }
    }

    @Test("C7: the limits of the iterations, and an extension behind them", arguments: [4_096, 600_000])
    func iterations(count: Int) throws {
        var scram = ScramClient(username: "user", password: "pencil")
        _ = scram.first(random: [1, 2, 3])
        let work = try scram.challenge(Array("r=AQIDx,s=AAAA,i=\(count),x=new".utf8))
        #expect(work.iterations == count)
        #expect("\(work)" == "SCRAM, \(count) iterations")
        #expect("\(LoginWork.proof(work))".contains("pencil") == false)
    }

    @Test("random challenges never crash, and never make a proof without our nonce")
    func rubbish() {
        var random = Randomness(seed: 5)
        let parts = ["r=AQID", "x", ",", "s=", "AAAA", "i=", "4096", "m=", "v=", "=", "é", "\u{0}", "n,,"]
        for _ in 0..<3000 {
            let text = (0..<(random.next() % 10)).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
            var scram = ScramClient(username: "user", password: "pencil")
            _ = scram.first(random: [1, 2, 3])
            if let work = try? scram.challenge(Array(text.utf8)) {
                #expect(text.hasPrefix("r=AQID"))
                #expect(work.iterations == 4096)
            }
            #expect(throws: ScramFault.self) { try scram.verify(Array(text.utf8)) }
        }
    }

    @Test("C5: the strongest that is configured and offered; a credential that was refused is not shown again")
    func choice() {
        let all: [SASLMechanism] = [.external, .ecdsa, .scramSHA256, .plain]
        var state = LoginState()
        #expect(state.next(of: all, offered: "") == .external)
        #expect(state.next(of: all, offered: "plain,scram-sha-256") == .scramSHA256)
        #expect(state.next(of: all, offered: "PLAIN,SCRAM-SHA-512") == .plain)
        #expect(state.next(of: [.scramSHA256], offered: "PLAIN") == nil)
        var scram = exchange(.scramSHA256)
        _ = scram.received("+")
        _ = scram.worked(.randomBytes([1, 2, 3]))
        _ = scram.received(Base64.encode(Array("r=AQIDx,s=AAAA,i=4096".utf8)))
        _ = scram.worked(.proof(ScramProof(proof: [1], serverSignature: [2])))
        state.begin(scram, at: Tick(nanoseconds: 0))
        state.refuse()
        #expect(state.wasRefused)
        #expect(state.next(of: all, offered: "PLAIN,SCRAM-SHA-256") == nil)
        #expect(state.next(of: all, offered: "") == .external)
    }

    @Test("C9: a result that comes after the end of the session, or after QUIT, says nothing")
    func late() {
        var settings = IRCSettings(nick: "gifbot")
        settings.sasl = .init(username: "user", password: "pencil", mechanisms: [.scramSHA256])
        let now = ContinuousClock.now
        var session = IRCSession(settings: settings, seed: 1, at: now)
        var effects: [IRCSession.Effect] = []
        session.connected(at: now, &effects)
        for line in [":t CAP * LS :sasl", ":t CAP * ACK :sasl", "AUTHENTICATE +"] {
            Array(line.utf8).withUnsafeBytes { session.received($0, at: now, wall: 0, &effects) }
        }
        #expect(effects.contains(.work(.randomBytes(18))))
        session.quit("bye", at: now, &effects)
        effects.removeAll()
        session.worked(.randomBytes([1]), at: now, &effects)
        #expect(effects.isEmpty)
        _ = session.disconnected()
        session.worked(.randomBytes([1]), at: now, &effects)
        #expect(effects.isEmpty)
    }

    private static let serverLines = [
        "AUTHENTICATE +", "AUTHENTICATE :", "AUTHENTICATE AAAA", "AUTHENTICATE *", "AUTHENTICATE é",
        "AUTHENTICATE " + Base64.encode(Array("r=AQIDx,s=AAAA,i=4096".utf8)),
        "AUTHENTICATE " + Base64.encode(Array("r=AQIDx,s=AAAA,i=9".utf8)), "AUTHENTICATE dj1BQUFB",
        "AUTHENTICATE " + String(repeating: "A", count: 400), ":t 900 * * x :ok", ":t 901 * * :no", ":t 902 * :no",
        ":t 903 * :ok", ":t 904 * :no", ":t 905 * :no", ":t 906 * :no", ":t 907 * :ok", ":t 908 * PLAIN :list",
        ":t 908 * SCRAM-SHA-256,PLAIN :list", ":t CAP * LS :sasl", ":t CAP * LS :sasl=PLAIN", ":t CAP * ACK :sasl",
        ":t CAP * NAK :sasl", ":t CAP * NEW :sasl", ":t CAP * DEL :sasl", ":t 001 gifbot :hi", ":t 376 gifbot :end",
        ":t 465 gifbot :no",
    ]

    @Test(
        "C7, C8: whatever a server says, SCRAM never shows the password, and 903 alone is no login", arguments: 1...40)
    func hostile(seed: Int) {
        var random = Randomness(seed: UInt64(seed))
        for round in 0..<30 {
            var settings = IRCSettings(nick: "gifbot")
            settings.sasl = .init(username: "user", password: "pencil", mechanisms: [.scramSHA256])
            var now = ContinuousClock.now
            var session = IRCSession(settings: settings, seed: 1, at: now)
            var effects: [IRCSession.Effect] = []
            var wasToldOtherwise = false
            session.connected(at: now, &effects)
            effects.removeAll()
            let opening = round % 2 == 0 ? [":t CAP * LS :sasl", ":t CAP * ACK :sasl", "AUTHENTICATE +"] : []
            for step in 0..<60 {
                let line =
                    step < opening.count
                    ? opening[step] : Self.serverLines[Int(random.next() % UInt64(Self.serverLines.count))]
                if line.contains(" 900 ") || line.contains(" 907 ") { wasToldOtherwise = true }
                if random.next() % 8 == 0 {
                    now = now.advanced(by: .seconds(Int(random.next() % 40)))
                    session.timeoutReached(at: now, &effects)
                }
                Array(line.utf8).withUnsafeBytes { session.received($0, at: now, wall: 0, &effects) }
                var index = 0
                while index < effects.count {
                    switch effects[index] {
                    case .work(.randomBytes): session.worked(.randomBytes([1, 2, 3]), at: now, &effects)
                    case .work(.proof(let work)): session.worked(.proof(work.proof(RealFunctions())), at: now, &effects)
                    case .work(.signature), .emit, .close: break
                    case .send(let bytes):
                        let text = String(decoding: bytes.dropLast(2), as: UTF8.self)
                        #expect(!text.contains("pencil") && !text.contains("cGVuY2ls") && !text.contains("PLAIN"))
                        #expect(text.utf8.count <= 13 + 400)
                        if text == "CAP END" { #expect(wasToldOtherwise) }
                    }
                    index += 1
                }
                effects.removeAll()
            }
        }
    }
}
