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
        switch body["meta"]?["status"]?.integer ?? 200 {
        case 401, 403: throw .badKey(status: 403)
        case 429: throw .rateLimited(retryIn: GiphyDecoder.coolDown(after: response))
        case 200...299: break
        case let status: throw .unavailable("meta.status \(status)")
        }
        guard let items = body["data"]?.array else { throw .unavailable("the answer has no data") }
        if items.isEmpty, body["meta"]?["response_id"]?.string?.isEmpty == true {
            throw .unavailable("an empty answer without response_id: the service is down")
        }
        var terms: [String] = []
        for item in items {
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
