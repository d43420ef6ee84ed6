/// Cuts what is sent with AUTHENTICATE and puts together what comes (IRCv3 sasl-3.1): Base64 in pieces of 400
/// characters, of which a shorter one is the last; `+` is an empty one.
struct SASLPieces: Sendable {
    static let length = 400
    /// Of Base64; no mechanism here needs a tenth of it.
    private static let limit = 20 * length

    enum Outcome: Equatable {
        case unfinished
        case message([UInt8])
        case fault(String)
    }

    private var gathered = ""

    static func cut(_ bytes: [UInt8]) -> [String] {
        var rest = Substring(Base64.encode(bytes))
        var pieces: [String] = []
        while rest.utf8.count >= length {
            pieces.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        // Also behind a last piece of full length, which would look as if more followed.
        pieces.append(rest.isEmpty ? "+" : String(rest))
        return pieces
    }

    mutating func received(_ piece: String) -> Outcome {
        let count = piece.utf8.count
        if piece != "+" { gathered += piece }
        guard count <= Self.length, gathered.utf8.count <= Self.limit else {
            return .fault("the server's part of the login is too long")
        }
        if count == Self.length { return .unfinished }
        defer { gathered = "" }
        guard let bytes = Base64.decode(gathered) else { return .fault("the server's part of the login is no Base64") }
        return .message(bytes)
    }
}
