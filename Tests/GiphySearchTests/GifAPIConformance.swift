import Base
import GiphySearch
import HTTP
import Testing

/// What every API has to do, whoever is behind it. A new one adds a line to `apis`.
struct GifAPIConformance {
    struct Case: Sendable, CustomTestStringConvertible {
        let api: any GifAPI
        /// A body with status 200 that holds GIFs.
        let page: String
        var testDescription: String { api.name }
    }

    static let key = "K3Y%2Fsecret/1"
    static let apis = [
        Case(api: GiphyAPI(key: Secret(key)), page: "giphy-search.json"),
        Case(api: GiphyAPI(key: Secret(key), translates: true, suggests: true), page: "giphy-search.json"),
        Case(api: KlipyAPI(key: Secret(key)), page: "klipy-v2-search.json"),
        Case(
            api: CommonsAPI(contact: "mailto:ops@example.org", program: "gifbot/1"),
            page: "wikimedia-commons-imageinfo.json"),
        Case(api: OpenverseAPI(), page: "openverse-images.json"),
    ]
    private static let modes = [SearchQuery.Mode.search, .random, .trending, .translate, .id]

    private func query(
        _ words: String, rating: Rating = .g, kind: GifKind = .gif, mode: SearchQuery.Mode = .search
    ) -> SearchQuery {
        SearchQuery(words: words, rating: rating, language: "en", kind: kind, mode: mode)
    }

    private func failure(_ api: any GifAPI, _ response: HTTPResponse) -> SourceFailure? {
        do throws(SourceFailure) {
            _ = try api.gifs(from: response)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: apis) func requestsAreSafe(item: Case) {
        for words in ["owl", "", "a&b=c#d", "../..", "\u{0}x\r\ny", "é 🐱", String(repeating: "w ", count: 50)] {
            for mode in Self.modes {
                for kind in [GifKind.gif, .sticker] {
                    let asked = query(words, kind: kind, mode: mode)
                    guard item.api.offers(asked) else { continue }
                    if let terms = item.api.termsRequest(for: PageRequest(asked)) {
                        #expect(terms.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !terms.url.contains("/../"))
                        #expect(!terms.url.contains("#") && terms.url.split(separator: "?").count == 2)
                    }
                    for position in [nil, "25", "0", "-1", "99999999999", "x\r\n&key=1"] {
                        check(item.api, PageRequest(asked, position: position))
                    }
                }
            }
        }
    }

    private func check(_ api: any GifAPI, _ asked: PageRequest) {
        guard let request = api.request(for: asked) else { return }
        #expect(request.url.hasPrefix("https://"))
        #expect(request.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(!request.url.contains("#") && request.url.split(separator: "?").count <= 2)
        #expect(!request.url.contains("&key=1") && !request.url.contains("/../"))
        #expect(request.timeout <= .seconds(10) && request.maximumBody <= 4 << 20 && !request.followsRedirects)
        #expect(request == api.request(for: asked))
        for header in request.headers {
            #expect(header.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
    }

    @Test(arguments: apis) func searchIsOffered(item: Case) {
        #expect(item.api.offers(query("owl")))
        #expect(item.api.request(for: PageRequest(query("owl"))) != nil)
    }

    /// A next page is never the page that was asked for.
    @Test(arguments: apis) func pagesGoOn(item: Case) throws {
        let response = HTTPResponse(status: 200, body: try fixture(item.page))
        let first = try item.api.page(from: response, for: PageRequest(query("owl")))
        guard let next = first.continuation else { return }
        #expect(next.source == item.api.name)
        let request = try #require(item.api.request(for: PageRequest(query("owl"), position: next.position)))
        #expect(request != item.api.request(for: PageRequest(query("owl"))))
        let second = try item.api.page(from: response, for: PageRequest(query("owl"), position: next.position))
        #expect(second.continuation?.position != next.position, "a source that names the same page again goes round")
    }

    @Test(arguments: apis) func ratingsDiffer(item: Case) {
        let urls = Rating.allCases.map { item.api.request(for: query("owl", rating: $0)).url }
        #expect(Set(urls).count == (item.api.policy.fixedRating == nil ? urls.count : 1))
    }

    @Test(arguments: apis) func gifsArePostable(item: Case) throws {
        let gifs = try item.api.gifs(from: HTTPResponse(status: 200, body: fixture(item.page)))
        #expect(!gifs.isEmpty)
        #expect(Set(gifs.map(\.id)).count == gifs.count)
        for gif in gifs {
            #expect(gif.source == item.api.name)
            #expect(gif.credit.hasSuffix(item.api.policy.credit) && !gif.credit.isEmpty)
            #expect(gif.rating != nil)
            #expect(!gif.id.isEmpty && !gif.renditions.isEmpty)
            #expect(gif.title.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            for rendition in gif.renditions {
                #expect(rendition.url.hasPrefix("https://"))
                #expect((rendition.width ?? 1) > 0 && (rendition.height ?? 1) > 0 && (rendition.byteCount ?? 1) > 0)
            }
        }
    }

    @Test(arguments: apis) func statusDecides(item: Case) throws {
        let page = try fixture(item.page)
        for status in [301, 302, 400, 401, 403, 404, 414, 429, 500, 502, 503] {
            #expect(failure(item.api, HTTPResponse(status: status, body: page)) != nil, "\(status)")
        }
        for status in [500, 502, 503] {
            guard case .unavailable = failure(item.api, HTTPResponse(status: status, body: page)) else {
                Issue.record("\(status) is no outage")
                continue
            }
        }
        guard case .rateLimited(let wait) = failure(item.api, HTTPResponse(status: 429, body: [])) else {
            Issue.record("429 is no rate limit")
            return
        }
        #expect(wait >= .seconds(1))
    }

    @Test(arguments: apis) func garbageIsAnOutageAndNeverAnEmptyPage(item: Case) {
        for body in [
            "", "null", "[]", "{}", "<html>", "{", "\u{0}", Self.key, #"{"data":5"#,
            String(repeating: "[", count: 100_000),
        ] {
            guard case .unavailable(let text) = failure(item.api, .json(body)) else {
                Issue.record("\(body.prefix(10)) is no outage")
                continue
            }
            #expect(!text.contains("K3Y"))
            guard item.api.suggests else { continue }
            do throws(SourceFailure) {
                _ = try item.api.terms(from: .json(body))
                Issue.record("\(body.prefix(10)) has terms")
            } catch {
                #expect(!error.description.contains("K3Y"))
            }
        }
    }

    @Test(arguments: apis) func thePolicyIsSane(item: Case) {
        let policy = item.api.policy
        #expect(policy.pageSize > 0 && policy.pageSize <= 50)
        #expect(policy.maximumQueryLength > 0)
        #expect(!policy.mediaHosts.isEmpty)
        #expect(policy.defaultBudget != nil)
    }
}
