/// The client's messages of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding. Name and password must be
/// printable ASCII: anything else would have to be normalized first (SASLprep, RFC 4013), so the config refuses it.
struct ScramClient: Sendable {
    /// Fewer make the password easy to guess for whoever stole the server's list (RFC 7677 section 4); more would only
    /// keep us busy.
    static let iterations = 4_096...600_000
    static let nonceLength = 18

    private let username: String
    private let password: String
    private var bareFirst = ""
    private var nonce = ""
    private var withoutProof = ""
    private var serverSignature: [UInt8] = []

    init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    mutating func first(random: [UInt8]) -> [UInt8] {
        nonce = Base64.encode(random)
        bareFirst = "n=\(Self.escaped(username)),r=\(nonce)"
        return Array((Self.header + bareFirst).utf8)
    }

    /// Reads `r=…,s=…,i=…`; what comes behind may be extensions, but one in front must be understood.
    mutating func challenge(_ bytes: [UInt8]) throws(ScramFault) -> ScramWork {
        let text = String(decoding: bytes, as: UTF8.self)
        let fields = text.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 3, let whole = Self.value(fields[0], "r"), let salt = Self.value(fields[1], "s"),
            let count = Self.value(fields[2], "i")
        else { throw ScramFault("the server's challenge can't be read") }
        guard whole.hasPrefix(nonce), whole.utf8.count > nonce.utf8.count else {
            throw ScramFault("the server answered to another nonce than ours")
        }
        guard let salt = Base64.decode(salt), !salt.isEmpty else { throw ScramFault("the server's salt can't be read") }
        guard let iterations = Int(count), iterations > 0 else {
            throw ScramFault("the server's count of iterations can't be read")
        }
        guard Self.iterations.contains(iterations) else {
            throw ScramFault(
                "the server wants \(iterations) iterations; only \(Self.iterations.lowerBound) to "
                    + "\(Self.iterations.upperBound) are accepted")
        }
        withoutProof = "c=\(Base64.encode(Array(Self.header.utf8))),r=\(whole)"
        return ScramWork(
            password: Array(password.utf8), salt: salt, iterations: iterations,
            message: Array("\(bareFirst),\(text),\(withoutProof)".utf8))
    }

    mutating func final(_ proof: ScramProof) -> [UInt8] {
        serverSignature = proof.serverSignature
        return Array("\(withoutProof),p=\(Base64.encode(proof.proof))".utf8)
    }

    /// Throws unless the server has proved that it knows the password too.
    func verify(_ bytes: [UInt8]) throws(ScramFault) {
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        if let first = fields.first, let error = Self.value(first, "e") {
            throw ScramFault("the server says \(error)", isRefusal: error == "invalid-proof" || error == "unknown-user")
        }
        guard let first = fields.first, let text = Self.value(first, "v"), let signature = Base64.decode(text),
            signature == serverSignature, !signature.isEmpty
        else { throw ScramFault("the server did not prove that it knows the password") }
    }

    /// No channel binding, no authorization identity.
    private static let header = "n,,"

    private static func value(_ field: Substring, _ name: String) -> String? {
        field.hasPrefix(name + "=") ? String(field.dropFirst(2)) : nil
    }

    /// RFC 5802 section 5.1: `,` and `=` can't stand in a name.
    private static func escaped(_ name: String) -> String {
        var text = ""
        for character in name.unicodeScalars {
            switch character {
            case ",": text += "=2C"
            case "=": text += "=3D"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}

struct ScramFault: Error, Equatable {
    let reason: String
    /// The server says that the password is wrong.
    let isRefusal: Bool

    init(_ reason: String, isRefusal: Bool = false) {
        self.reason = reason
        self.isRefusal = isRefusal
    }
}
