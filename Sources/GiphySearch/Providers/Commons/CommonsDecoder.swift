import HTTP
import JSON

/// Reads what MediaWiki's `query` answers, in both of its formats.
struct CommonsDecoder: Sendable {
    let source: String
    let rating: Rating
    let media: MediaRule

    func page(in response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        let body = try ProviderBody.object(of: response)
        // Errors come with status 200 too (mediawiki.org, API:Errors and warnings).
        if let error = body["error"] { throw failure(error["code"]?.string ?? "", response) }
        guard let query = body["query"] else {
            // Nothing matched. Without this mark something went wrong half-way.
            guard body["batchcomplete"] != nil else { throw .unavailable("the answer has no query") }
            return SearchPage(gifs: [])
        }
        let gifs = pages(query["pages"]).compactMap { gif($0) }
        var seen: Set<String> = []
        return SearchPage(
            gifs: gifs.filter { seen.insert($0.id).inserted }, continuation: continuation(body, for: request))
    }

    private func failure(_ code: String, _ response: HTTPResponse) -> SourceFailure {
        switch code {
        case "ratelimited": .rateLimited(retryIn: ProviderBody.rest(after: response, atLeast: 60))
        case "maxlag", "readonly", "internal_api_error", "search-error", "": .unavailable("the service is in trouble")
        default:
            code.hasPrefix("internal_api_error")
                ? .unavailable("an error inside the service") : .badRequest(status: 200)
        }
    }

    /// A list, or in the older format a mapping by page id; neither in the order of rank.
    private func pages(_ value: JSONValue?) -> [JSONValue] {
        let all = value?.array ?? value?.object?.members.map(\.value) ?? []
        return all.enumerated().sorted { one, other in
            (one.element["index"]?.integer ?? .max, one.offset) < (
                other.element["index"]?.integer ?? .max, other.offset
            )
        }.map(\.element)
    }

    private func continuation(_ body: JSONValue, for request: PageRequest) -> PageContinuation? {
        guard let next = body["continue"]?["gsroffset"]?.integer, next > 0, request.query.mode == .search,
            request.position.flatMap({ Int64($0) }) ?? 0 < next
        else { return nil }
        return PageContinuation(source: source, position: String(next))
    }

    /// Nil for what doesn't move: many GIFs there are diagrams of one frame.
    private func gif(_ page: JSONValue) -> Gif? {
        guard let id = page["pageid"]?.sourceID, let info = page["imageinfo"]?[0], info["mime"]?.string == "image/gif",
            frames(info) > 1, let url = info["url"]?.string, media.allows(url)
        else { return nil }
        let rendition = Rendition(
            url: url, width: info["width"]?.pixels, height: info["height"]?.pixels, byteCount: info["size"]?.byteCount,
            mediaType: "image/gif")
        let author = text(info, "Artist", atMost: 60)
        return Gif(
            id: id, source: source, title: title(page["title"]?.string ?? ""), rating: rating,
            pageURL: info["descriptionurl"]?.string.flatMap { media.allows($0) ? $0 : nil }, author: author,
            credit: credit(author: author, license: text(info, "LicenseShortName", atMost: 40)), renditions: [rendition]
        )
    }

    private func frames(_ info: JSONValue) -> Int64 {
        let entry = info["metadata"]?.array?.first { $0["name"]?.string == "frameCount" }
        return entry?["value"]?.integer ?? 0
    }

    /// Values are HTML.
    private func text(_ info: JSONValue, _ name: String, atMost limit: Int) -> String? {
        guard let html = info["extmetadata"]?[name]?["value"]?.string else { return nil }
        let line = cleanLine(MarkupText.plain(String(html.prefix(5_000))), maximumScalars: limit)
        return line.isEmpty ? nil : line
    }

    private func credit(author: String?, license: String?) -> String {
        [author, license, "Wikimedia Commons"].compactMap { $0 }.joined(separator: ", ")
    }

    /// `File:Otter_wave.gif` → Otter wave.
    private func title(_ name: String) -> String {
        var name = Substring(name)
        if name.hasPrefix("File:") { name = name.dropFirst(5) }
        if let dot = name.lastIndex(of: ".") { name = name[..<dot] }
        return String(name.map { $0 == "_" ? " " : $0 })
    }
}
