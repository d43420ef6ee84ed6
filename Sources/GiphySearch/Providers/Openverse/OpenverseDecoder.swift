import HTTP
import JSON

/// Reads a page of Openverse's, of which nearly every member may be null.
struct OpenverseDecoder: Sendable {
    let source: String
    let rating: Rating
    let media: MediaRule

    func page(in response: HTTPResponse, for request: PageRequest) throws(SourceFailure) -> SearchPage {
        let body = try ProviderBody.object(of: response)
        if request.query.mode == .id {
            guard body["id"] != nil else { throw .unavailable("the answer has no id") }
            return SearchPage(gifs: gif(body).map { [$0] } ?? [])
        }
        guard let results = body["results"]?.array else { throw .unavailable("the answer has no results") }
        var seen: Set<String> = []
        let gifs = results.compactMap { gif($0) }.filter { seen.insert($0.id).inserted }
        return SearchPage(gifs: gifs, continuation: continuation(body, for: request))
    }

    private func continuation(_ body: JSONValue, for request: PageRequest) -> PageContinuation? {
        guard request.query.mode == .search, let page = OpenverseAPI.page(at: request.position),
            let pages = body["page_count"]?.integer, page < pages, page < OpenverseAPI.lastPage
        else { return nil }
        return PageContinuation(source: source, position: String(page + 1))
    }

    private func gif(_ item: JSONValue) -> Gif? {
        guard let id = item["id"]?.sourceID, item["mature"]?.bool != true, item["filetype"]?.string ?? "gif" == "gif",
            let url = item["url"]?.string, media.allows(url)
        else { return nil }
        let size = (item["width"]?.pixels, item["height"]?.pixels)
        let isKnown = size.0 != nil && size.1 != nil
        let rendition = Rendition(
            url: url, width: isKnown ? size.0 : nil, height: isKnown ? size.1 : nil,
            byteCount: item["filesize"]?.byteCount, mediaType: "image/gif")
        let author = item["creator"]?.string.map { cleanLine($0, maximumScalars: 60) }.flatMap { $0.isEmpty ? nil : $0 }
        let credit = [author, license(item), "Openverse"].compactMap { $0 }.joined(separator: ", ")
        return Gif(
            id: id, source: source, title: item["title"]?.string ?? "", rating: rating,
            pageURL: item["foreign_landing_url"]?.string.flatMap { media.allows($0) ? $0 : nil }, author: author,
            credit: credit, renditions: [rendition])
    }

    /// `by-sa` and `4.0` → CC BY-SA 4.0, as Creative Commons writes it.
    private func license(_ item: JSONValue) -> String? {
        guard let code = item["license"]?.string.map({ cleanLine($0, maximumScalars: 20) }), !code.isEmpty else {
            return nil
        }
        let version = cleanLine(item["license_version"]?.string ?? "", maximumScalars: 10)
        let name =
            switch code {
            case "pdm": "Public Domain Mark"
            case "cc0": "CC0"
            default: "CC " + code.uppercased()
            }
        return version.isEmpty ? name : name + " " + version
    }
}
