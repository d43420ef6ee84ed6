import Base
import HTTP
import JSON
import Matrix
import MatrixCrypto
import Testing

@testable import MatrixAdapter

@Suite("A password for cross-signing keys") struct PasswordProofTests {
    private static let asked = CryptoAnswer.needsAuthentication(
        session: "s", flows: [["stages": ["m.login.password"]]])
    private static let upload = CryptoRequest.Call.uploadCrossSigning(["master_key": [:]])

    /// The calls that were made, and what came of them.
    private static func run(
        keys: Result<CryptoAnswer, MatrixError>, flows: JSONValue = [["stages": ["m.login.password"]]]
    ) async -> (made: [CryptoRequest.Call], result: Result<CryptoAnswer, MatrixError>) {
        let proof = PasswordProof(user: bot, password: Secret("pa55"))
        var made: [CryptoRequest.Call] = []
        let first = CryptoAnswer.needsAuthentication(session: "s", flows: flows)
        let result = await proof.answer(to: upload, after: .success(first)) { call in
            made.append(call)
            if case .queryKeys = call { return keys }
            return .success(.body([:]))
        }
        return (made, result)
    }

    @Test("It is given when the account still has no keys")
    func given() async {
        let (made, result) = await Self.run(keys: .success(.body(["device_keys": [:], "master_keys": [:]])))
        #expect(
            made == [.queryKeys(users: [bot]), Self.upload.authenticated(user: bot, password: "pa55", session: "s")])
        #expect(result == .success(.body([:])))
    }

    @Test(
        "It isn't given when the account has keys by now, or the server doesn't say",
        arguments: [
            .success(.body(["device_keys": [:], "master_keys": .object(JSONObject([.init(bot, [:])]))])),
            .success(.body([:])), .failure(.transport(.timedOut(host: "x"))),
        ] as [Result<CryptoAnswer, MatrixError>])
    func kept(keys: Result<CryptoAnswer, MatrixError>) async {
        let (made, result) = await Self.run(keys: keys)
        #expect(made == [.queryKeys(users: [bot])] && result == .success(Self.asked))
    }

    @Test("Nor where a password is not enough")
    func others() async {
        let (made, _) = await Self.run(keys: .success(.body([:])), flows: [["stages": ["m.login.sso"]]])
        #expect(made.isEmpty)
    }
}
