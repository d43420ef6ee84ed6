import Base
import JSON
import Matrix
import MatrixCrypto

/// The account's password, for a server that wants it before it takes cross-signing keys.
struct PasswordProof {
    let user: String
    let password: Secret

    /// Many servers want a password only when keys are there that would be replaced, so it isn't given before the server was
    /// asked again whether it has none still. An identity of somebody else's making is never replaced unasked.
    func answer(
        to call: CryptoRequest.Call, after result: Result<CryptoAnswer, MatrixError>,
        ask: (CryptoRequest.Call) async -> Result<CryptoAnswer, MatrixError>
    ) async -> Result<CryptoAnswer, MatrixError> {
        guard case .success(.needsAuthentication(let session, let flows)) = result, CryptoAnswer.takesPassword(flows),
            let again = call.authenticated(user: user, password: password.value, session: session),
            case .success(.body(let keys)) = await ask(.queryKeys(users: [user])),
            keys["device_keys"] != nil, keys["master_keys"]?[user] == nil
        else { return result }
        return await ask(again)
    }
}
