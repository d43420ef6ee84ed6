import HTTP
import JSON

/// Reads a page in Tenor's shape. An item gives no rating of its own: where the request's filter has let it through, it has the
/// rating that was asked for. A request by id has no filter, so that what it finds is unrated.
struct KlipyDecoder: Sendable {
    /// Moving pictures as GIF, the largest first; what is asked for, and what is taken. What has no transparent ones is no sticker,
    /// whatever was asked for.
    static func formats(for query: SearchQuery) -> String {
        (query.kind == .sticker ? stickers : query.mode == .id ? stickers + pictures : pictures).joined(separator: ",")
    }
    private static let pictures = ["gif", "mediumgif", "tinygif", "nanogif"]
    private static let stickers = ["gif_transparent", "tinygif_transparent", "nanogif_transparent"]
    private static let mostKept = 100
    /// Bytes; a cursor goes into the next address.
    private static let longestCursor = 500

    let source: String
    let credit: String
    let media: MediaRule

    func page(in response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        let body = try ProviderBody.object(of: response)
        guard let results = body["results"]?.array else { throw .unavailable("the answer has no results") }
        let rating = request.query.mode == .id ? nil : request.query.rating
        var seen: Set<String> = []
        let gifs = results.prefix(Self.mostKept).compactMap { item -> Gif? in
            guard let gif = gif(item, request.query, rating: rating), seen.insert(gif.id).inserted else { return nil }
            return gif
        }
        return SearchPage(gifs: gifs, continuation: continuation(body["next"]?.string, for: request))
    }

    /// Empty at the end. One that names the same page again would go round for ever.
    private func continuation(_ next: String?, for request: PageRequest) -> PageContinuation? {
        guard let next, !next.isEmpty, next.utf8.count <= Self.longestCursor, next != request.position else {
            return nil
        }
        return PageContinuation(source: source, position: next)
    }

    private func gif(_ item: JSONValue, _ query: SearchQuery, rating: Rating?) -> Gif? {
        guard let id = item["id"]?.sourceID, item["type"]?.string != "ad", let files = item["media_formats"] else {
            return nil
        }
        if query.kind == .sticker, isStill(item) { return nil }
        var renditions = query.kind == .sticker || query.mode == .id ? renditions(files, Self.stickers) : []
        if renditions.isEmpty, query.kind == .gif { renditions = self.renditions(files, Self.pictures) }
        guard !renditions.isEmpty else { return nil }
        let described = item["content_description"]?.string ?? ""
        let title = item["title"]?.string ?? ""
        return Gif(
            id: id, source: source, kind: query.kind, title: title.isEmpty ? described : title, rating: rating,
            pageURL: item["itemurl"]?.string.flatMap { media.allows($0) ? $0 : nil }, author: nil, credit: credit,
            altText: described, renditions: renditions)
    }

    /// `flags` is a list, or a text with commas.
    private func isStill(_ item: JSONValue) -> Bool {
        let flags = item["flags"]?.array?.compactMap(\.string) ?? item["flags"]?.string.map { [$0] } ?? []
        return flags.contains { $0.split(separator: ",").contains { $0.lowercased() == "static" } }
    }

    private func renditions(_ files: JSONValue, _ formats: [String]) -> [Rendition] {
        var out: [Rendition] = []
        for format in formats {
            guard let file = files[format], let url = file["url"]?.string, media.allows(url),
                !out.contains(where: { $0.url == url })
            else { continue }
            // Both or none: one side alone says nothing.
            let sides = file["dims"]?.array.flatMap { $0.count == 2 ? $0.compactMap(\.pixels) : nil } ?? []
            let size = sides.count == 2 ? (sides[0], sides[1]) : nil
            out.append(
                Rendition(
                    url: url, width: size?.0, height: size?.1, byteCount: file["size"]?.byteCount,
                    mediaType: "image/gif"))
        }
        let measured = out.filter { $0.width != nil }
        return measured.isEmpty ? out : measured
    }
}
