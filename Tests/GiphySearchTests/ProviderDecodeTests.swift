import Base
import Foundation
import HTTP
import Testing

@testable import GiphySearch

/// What the facts tell of each source beside GIPHY, on bodies in the shape they were seen in.
struct ProviderDecodeTests {
    private let klipy = KlipyAPI(key: Secret("K3Y%2Fsecret/1"))
    private let commons = CommonsAPI(contact: "mailto:ops@example.org", program: "gifbot/1.0")
    private let openverse = OpenverseAPI()

    private func page(_ api: some GifAPI, _ name: String, status: Int = 200, at position: String? = nil) throws
        -> SearchPage
    {
        try api.page(
            from: HTTPResponse(status: status, body: try fixture(name)),
            for: PageRequest(query("owl", rating: .pg), position: position))
    }

    private func failure(_ api: some GifAPI, _ response: HTTPResponse) -> SourceFailure? {
        do throws(SourceFailure) {
            _ = try api.page(from: response, for: PageRequest(query("owl")))
            return nil
        } catch {
            return error
        }
    }

    private func parameter(_ name: String, _ request: HTTPRequest?) -> String? {
        let url = URLComponents(string: request?.url ?? "")
        return url?.queryItems?.first { $0.name == name }?.value
    }

    // MARK: Tenor's shape

    @Test func tenorsShape() throws {
        let found = try page(klipy, "klipy-v2-search.json")
        let first = try #require(found.gifs.first)
        #expect(first.rating == .pg, "let through by the filter that was sent")
        #expect(first.renditions.first?.width == 498 && first.renditions.first?.height == 280)
        #expect(!first.title.isEmpty, "an empty title gives way to the description")
        #expect(first.renditions.allSatisfy { $0.url.hasSuffix(".gif") && $0.mediaType == "image/gif" })
    }

    @Test("No filter was sent with a request by id, so that the rating of what it finds isn't known")
    func byIDIsUnrated() throws {
        let saved = SearchQuery(words: "1", rating: .g, language: "en", kind: .gif, mode: .id)
        let body = try fixture("klipy-v2-search.json")
        let found = try klipy.page(from: HTTPResponse(status: 200, body: body), for: PageRequest(saved))
        #expect(!found.gifs.isEmpty && found.gifs.allSatisfy { $0.rating == nil })
    }

    /// No formats at all; no `gif` format, and `dims` of one side; `dims` empty.
    @Test("klipy-search-odd: what is broken is passed over, one by one") func odd() throws {
        let base = "https://api.klipy.com/v2"
        let api = KlipyAPI(key: Secret("k"), base: base, policy: .tenorHosts)
        let found = try page(api, "tenor-v2-search-odd.json")
        #expect(found.gifs.map(\.id) == ["7000000000000000002", "7000000000000000003"])
        #expect(found.gifs[0].renditions.first?.width == 220 && found.gifs[0].renditions.first?.height == 391)
        #expect(found.gifs[1].renditions.first?.width == 200)
        #expect(found.continuation == nil, "next is empty at the end")
    }

    @Test func theCursorGoesBackAsItCame() throws {
        let body = #"{"results":[],"next":"CAgQ/+=&x y"}"#
        let found = try klipy.page(from: .json(body), for: PageRequest(query("owl")))
        let next = try #require(found.continuation?.position)
        #expect(parameter("pos", klipy.request(for: PageRequest(query("owl"), position: next))) == "CAgQ/+=&x y")
        let again = try klipy.page(from: .json(body), for: PageRequest(query("owl"), position: next))
        #expect(again.continuation == nil)
    }

    @Test("klipy-v2-stickers: transparent ones that move; what is none isn't made one")
    func stickers() throws {
        let asked = PageRequest(query("owl", kind: .sticker))
        #expect(klipy.offers(asked.query))
        let request = klipy.request(for: asked)
        #expect(parameter("searchfilter", request) == "sticker,-static")
        #expect(parameter("media_filter", request) == "gif_transparent,tinygif_transparent,nanogif_transparent")
        #expect(parameter("searchfilter", klipy.request(for: PageRequest(query("owl")))) == nil)
        let body = HTTPResponse(status: 200, body: try fixture("klipy-v2-stickers.json"))
        let found = try klipy.page(from: body, for: asked)
        #expect(found.gifs.map(\.id) == ["6600000000000000001"])
        #expect(found.gifs[0].title == "Otter waves hello" && found.gifs[0].rating == .g)
        #expect(found.gifs[0].renditions.map(\.width) == [320, 160])
        #expect(found.gifs[0].renditions[0].url.hasSuffix("/S1.gif"))
        #expect(found.continuation?.position == "CAwQAA")
        // One that was saved comes back as what it is.
        let saved = SearchQuery(words: "6600000000000000001", rating: .g, language: "en", kind: .gif, mode: .id)
        let again = try klipy.page(from: body, for: PageRequest(saved))
        #expect(again.gifs.first?.renditions[0].url.hasSuffix("/S1.gif") == true && again.gifs.count == 4)
        #expect(
            parameter("media_filter", klipy.request(for: PageRequest(saved)))?.hasPrefix("gif_transparent,") == true)
        // Trending stickers are featured ones; GIPHY's version of this shape has no filter for them.
        let trending = SearchQuery(words: "", rating: .g, language: "en", kind: .sticker, mode: .trending)
        #expect(klipy.request(for: PageRequest(trending))?.url.hasPrefix("https://api.klipy.com/v2/featured?") == true)
        #expect(!KlipyAPI(key: Secret("k"), base: "https://api.giphy.com/v2").offers(asked.query))
    }

    @Test(arguments: [(Rating.g, "high"), (.pg, "medium"), (.pg13, "low"), (.r, "off")])
    func ratingsAreFilters(rating: Rating, filter: String) {
        #expect(parameter("contentfilter", klipy.request(for: PageRequest(query("owl", rating: rating)))) == filter)
    }

    @Test("a key that isn't known is 404 there, with the key in the body; BUG-32") func klipyKey() throws {
        let body = try fixture("klipy-error-404-invalid-key.json")
        #expect(failure(klipy, HTTPResponse(status: 404, body: body)) == .badKey(status: 404))
        let refused = try fixture("tenor-v2-error-400.json")
        #expect(failure(klipy, HTTPResponse(status: 400, body: refused)) == .badRequest(status: 400))
    }

    @Test("GIPHY serves the shape too, under its own rules") func giphyInTenorsShape() {
        #expect(ProviderPolicy.klipy(at: "https://api.giphy.com/v2") == .giphy)
        #expect(ProviderPolicy.klipy(at: "https://api.klipy.com/v2") == .klipy)
        #expect(ProviderPolicy.klipy(at: "https://api.giphy.com.evil.example/v2") == .klipy)
    }

    // MARK: Commons

    @Test func commonsInTheOrderOfRankWithoutStills() throws {
        let found = try page(commons, "wikimedia-commons-imageinfo.json")
        #expect(found.gifs.map(\.id) == ["190000001", "190000002"])
        let first = found.gifs[0]
        #expect(first.title == "Sample otter wave animation")
        #expect(first.author == "Sample User", "the values are HTML")
        #expect(first.credit == "Sample User, CC BY-SA 4.0, Wikimedia Commons")
        #expect(first.pageURL == "https://commons.wikimedia.org/wiki/File:Sample_otter_wave_animation.gif")
        #expect(first.renditions.first?.byteCount == 1_904_220)
        #expect(found.gifs.allSatisfy { $0.rating == .pg13 })
        #expect(found.continuation == PageContinuation(source: "commons", position: "3"))
    }

    @Test func commonsInTheOlderFormat() throws {
        #expect(try !page(commons, "wikimedia-commons-imageinfo-formatversion1.json").gifs.isEmpty)
    }

    @Test("no query at all when nothing matched") func commonsEmpty() throws {
        let found = try page(commons, "wikimedia-commons-empty.json")
        #expect(found.gifs.isEmpty && found.continuation == nil)
    }

    @Test("errors come with status 200, and 429 and 503 with a time") func commonsErrors() throws {
        let body = try fixture("wikimedia-commons-error-200.json")
        #expect(failure(commons, HTTPResponse(status: 200, body: body)) == .rateLimited(retryIn: .seconds(60)))
        for status in [429, 503] {
            let response = HTTPResponse(status: status, headers: [HTTPHeader("retry-after", "90")], body: [])
            #expect(failure(commons, response) == .rateLimited(retryIn: .seconds(90)))
        }
    }

    @Test(
        "a person's words are never operators there",
        arguments: [
            ("cat filemime:video/webm", "cat filemime video webm"), ("insource:/x/", "insource x"),
            ("-cat or dog", "cat or dog"), ("\"red panda\"~2", "red panda 2"), ("c*t ?", "c t"),
            ("~cat !dog intitle:x", "cat dog intitle x"), ("cat\u{FF1A}dog", "cat dog"), ("día 猫", "día 猫"),
            ("नमस्ते", "नमस्ते"), ("[[file:x]] {a|b}", "file x a b"),
        ])
    func operators(words: String, sent: String) {
        let request = commons.request(for: PageRequest(query(words)))
        #expect(parameter("gsrsearch", request) == sent + " filemime:image/gif")
        #expect(parameter("q", openverse.request(for: PageRequest(query(words)))) == sent)
    }

    @Test("where no word is left there is nothing to ask") func noWords() {
        #expect(commons.request(for: PageRequest(query("??? 🐱"))) == nil)
        #expect(openverse.request(for: PageRequest(query("???"))) == nil)
    }

    @Test("the operator's contact is in the User-Agent, not the project's") func contact() {
        let request = commons.request(for: PageRequest(query("owl")))
        #expect(
            request?.headers.contains(HTTPHeader("User-Agent", "gifbot/1.0 (mailto:ops@example.org) libcurl")) == true)
        #expect(parameter("gsrnamespace", request) == "6" && parameter("formatversion", request) == "2")
    }

    // MARK: Openverse

    @Test func openverseWithNulls() throws {
        let found = try page(openverse, "openverse-images.json")
        #expect(found.gifs.map(\.id) == ["00000000-0000-4000-8000-0000000000a1"], "a host that isn't known is left out")
        #expect(found.gifs[0].credit == "Sample Museum, Public Domain Mark 1.0, Openverse")
        #expect(found.continuation == PageContinuation(source: "openverse", position: "2"))
        #expect(try page(openverse, "openverse-images.json", at: "2").continuation == nil, "of two pages")
    }

    @Test func openversesPages() throws {
        let request = openverse.request(for: PageRequest(query("owl"), position: "12"))
        #expect(parameter("page", request) == "12" && parameter("page_size", request) == "20")
        #expect(parameter("mature", request) == "false")
        #expect(openverse.request(for: PageRequest(query("owl"), position: "13")) == nil, "240 results are the most")
        let refused = try fixture("openverse-error-401-page-size.json")
        #expect(failure(openverse, HTTPResponse(status: 401, body: refused)) == .badRequest(status: 401))
    }

    // MARK: GIPHY's other end points

    @Test(arguments: [
        (SearchQuery.Mode.search, GifKind.gif, "/v1/gifs/search?"), (.search, .sticker, "/v1/stickers/search?"),
        (.trending, .gif, "/v1/gifs/trending?"), (.random, .sticker, "/v1/stickers/random?"), (.id, .gif, "/v1/gifs?"),
    ])
    func giphysEndPoints(mode: SearchQuery.Mode, kind: GifKind, path: String) {
        let asked = SearchQuery(words: "owl", rating: .pg, language: "en", kind: kind, mode: mode)
        let request = GiphyAPI(key: Secret("k")).request(for: PageRequest(asked))
        #expect(request?.url.hasPrefix("https://api.giphy.com" + path) == true)
        #expect(parameter("rating", request) == "pg")
    }

    @Test func giphysPagesEndWhereItSaysSo() throws {
        let giphy = GiphyAPI(key: Secret("k"))
        let first = try page(giphy, "giphy-search.json")
        #expect(first.continuation?.position == "25")
        #expect(try page(giphy, "giphy-search.json", at: "1175").continuation == nil, "1204 in all")
        #expect(try page(giphy, "giphy-search-past-end.json", at: "1250").continuation == nil)
        #expect(giphy.request(for: PageRequest(query("owl"), position: "5000")) == nil)
        #expect(parameter("limit", giphy.request(for: PageRequest(query("owl"), position: "25"))) == "50")
        let byID = try giphy.page(
            from: HTTPResponse(status: 404, body: try fixture("giphy-by-id-404.json")),
            for: PageRequest(SearchQuery(words: "x", rating: .g, language: "en", kind: .gif, mode: .id)))
        #expect(byID.gifs.isEmpty)
    }
}

extension ProviderPolicy {
    /// The sample bodies of Tenor's own name its hosts.
    fileprivate static let tenorHosts = ProviderPolicy(
        keepsResultsFor: .seconds(60), mayStoreURLs: false, mayCopyFiles: false, credit: "KLIPY",
        maximumQueryLength: 50,
        pageSize: 25, mediaHosts: ["media.tenor.com"], defaultBudget: nil)
}
