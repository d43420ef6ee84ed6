import HTTP
import JSON

/// Words that GIPHY relates to others (`/v1/tags/related/{term}`).
enum GiphyTerms {
    private static let most = 10
    /// Unicode scalars.
    private static let longest = 40

    /// What isn't words alone is passed over: it is said in a channel, and nobody has looked at it. The body may say that the
    /// service is down, or refuses, as that of a page may.
    static func terms(in response: HTTPResponse) throws(SourceFailure) -> [String] {
        let body = try ProviderBody.object(of: response)
        var envelope = GiphyEnvelope()
        envelope.status = body["meta"]?["status"]?.integer ?? envelope.status
        envelope.responseIDIsBlank = body["meta"]?["response_id"]?.string?.isEmpty == true
        let items = body["data"]?.array
        envelope.hasData = items != nil
        envelope.isEmpty = items?.isEmpty ?? true
        try envelope.check(response)
        var terms: [String] = []
        for item in items ?? [] {
            guard terms.count < most else { break }
            let term = (item["name"]?.string ?? item.string ?? "").lowercased()
            guard !term.isEmpty, term.unicodeScalars.count <= longest, term.unicodeScalars.allSatisfy(isPlain),
                !terms.contains(term)
            else { continue }
            terms.append(term)
        }
        return terms
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
        default: scalar == " " || scalar == "-" || scalar == "'"
        }
    }
}
