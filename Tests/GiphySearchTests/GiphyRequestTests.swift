import Base
import GiphySearch
import HTTP
import Testing

struct GiphyRequestTests {
    private let api = GiphyAPI(key: Secret("K3Y%2Fsecret/1"))

    private func parameters(_ request: HTTPRequest) -> [Substring: Substring] {
        let parts = request.url.split(separator: "?", maxSplits: 1)
        return Dictionary(
            uniqueKeysWithValues: parts[1].split(separator: "&").map { pair in
                let sides = pair.split(separator: "=", maxSplits: 1)
                return (sides[0], sides[1])
            })
    }

    @Test("BUG-24: signs and emoji arrive as they were typed") func signsAreEscaped() {
        let request = api.request(for: query("c++ & c#? 100%/½ 🐱"))
        #expect(
            request.url.contains("&q=c%2B%2B%20%26%20c%23%3F%20100%25%2F%C2%BD%20%F0%9F%90%B1&"))
    }

    @Test("BUG-23: the rating is always sent", arguments: Rating.allCases) func ratingIsSent(rating: Rating) {
        #expect(parameters(api.request(for: query("owl", rating: rating)))["rating"] == Substring(rating.rawValue))
    }

    @Test func asksForOnePageOfTheNeededFields() {
        let request = api.request(for: query("red panda"))
        let found = parameters(request)
        #expect(request.url.hasPrefix("https://api.giphy.com/v1/gifs/search?"))
        #expect(request.method == .get)
        #expect(found["api_key"] == "K3Y%252Fsecret%2F1")
        #expect(found["q"] == "red%20panda")
        #expect(found["limit"] == "25")
        #expect(found["lang"] == "en")
        #expect(
            found["fields"]?.hasPrefix(
                "id%2Ctype%2Cis_sticker%2Ctitle%2Curl%2Crating%2Cusername%2Calt_text%2Cimages.original%2C") == true)
        #expect(!request.followsRedirects)
    }

    @Test func stickersHaveAnEndPointOfTheirOwn() {
        #expect(
            api.request(for: query("owl", kind: .sticker)).url.hasPrefix("https://api.giphy.com/v1/stickers/search?"))
    }

    @Test func wordsAreCutToFiftyCharacters() {
        let found = parameters(api.request(for: query(String(repeating: "x", count: 80))))
        #expect(found["q"] == Substring(String(repeating: "x", count: 50)))
    }

    @Test func aStandInMayHaveAnAddressOfItsOwn() {
        let api = GiphyAPI(key: Secret("k"), base: "http://127.0.0.1:8081/")
        #expect(api.request(for: query("owl")).url.hasPrefix("http://127.0.0.1:8081/v1/gifs/search?api_key=k&"))
    }
}
