import JSON

/// A page as text for a store, and back. What can't be read is no page.
public enum PageText {
    /// Bytes; a larger page isn't stored.
    public static let longest = 128 << 10

    public static func text(of page: SearchPage) -> String? {
        var members: [JSONObject.Member] = [JSONObject.Member("gifs", .array(page.gifs.map(value)))]
        if let next = page.continuation {
            members.append(JSONObject.Member("source", .string(next.source)))
            members.append(JSONObject.Member("next", .string(next.position)))
        }
        guard let bytes = try? JSONWriter.canonical(.object(JSONObject(members))), bytes.count <= longest else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    public static func page(from text: String) -> SearchPage? {
        let rules = JSONRules(maximumBytes: longest, maximumDepth: 8)
        guard let value = try? JSONValue(parsing: text, rules: rules), let items = value["gifs"]?.array else {
            return nil
        }
        var next: PageContinuation?
        if let source = value["source"]?.string, let position = value["next"]?.string {
            next = PageContinuation(source: source, position: position)
        }
        let gifs = items.compactMap(gif)
        return gifs.count == items.count ? SearchPage(gifs: gifs, continuation: next) : nil
    }

    private static func value(_ gif: Gif) -> JSONValue {
        var members = [
            JSONObject.Member("id", .string(gif.id)), JSONObject.Member("source", .string(gif.source)),
            JSONObject.Member("title", .string(gif.title)), JSONObject.Member("credit", .string(gif.credit)),
            JSONObject.Member("files", .array(gif.renditions.map(value))),
        ]
        let optional = [
            ("rating", gif.rating?.rawValue), ("page", gif.pageURL), ("by", gif.author), ("alt", gif.altText),
        ]
        for (name, text) in optional {
            if let text { members.append(JSONObject.Member(name, .string(text))) }
        }
        return .object(JSONObject(members))
    }

    private static func value(_ file: Rendition) -> JSONValue {
        var members = [JSONObject.Member("url", .string(file.url))]
        for (name, number) in [("w", file.width), ("h", file.height), ("bytes", file.byteCount)] {
            if let number { members.append(JSONObject.Member(name, .integer(Int64(number)))) }
        }
        if let type = file.mediaType { members.append(JSONObject.Member("type", .string(type))) }
        return .object(JSONObject(members))
    }

    private static func gif(_ value: JSONValue) -> Gif? {
        guard let id = value["id"]?.string, let source = value["source"]?.string,
            let files = value["files"]?.array?.compactMap(rendition), !files.isEmpty
        else { return nil }
        return Gif(
            id: id, source: source, title: value["title"]?.string ?? "",
            rating: value["rating"]?.string.flatMap { Rating(rawValue: $0) }, pageURL: value["page"]?.string,
            author: value["by"]?.string, credit: value["credit"]?.string ?? "", altText: value["alt"]?.string,
            renditions: files)
    }

    private static func rendition(_ value: JSONValue) -> Rendition? {
        guard let url = value["url"]?.string else { return nil }
        return Rendition(
            url: url, width: value["w"]?.pixels, height: value["h"]?.pixels, byteCount: value["bytes"]?.byteCount,
            mediaType: value["type"]?.string)
    }
}
