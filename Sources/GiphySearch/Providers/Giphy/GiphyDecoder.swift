import Base
import HTTP
import JSON

/// Reads a page of GIPHY's in one pass over its bytes. Anything may be missing, blank, or of another type than yesterday; only
/// what is no JSON at all is an error.
struct GiphyDecoder: Sendable {
    /// What is asked for, so that a page is a tenth of its full size.
    static let fields =
        "id,type,is_sticker,title,url,rating,username,alt_text,images.original,images.downsized_large,images.downsized_medium,images.downsized"
        + ",images.fixed_height,images.fixed_width"

    let source: String
    let credit: String
    let media: MediaRule

    /// What a body said, its GIFs and its numbers.
    struct Answer {
        var gifs: [Gif] = []
        /// Items, good or bad.
        var items = 0
        /// All there are for the query; nil where it isn't told.
        var total: Int?
        fileprivate var envelope = GiphyEnvelope()
        fileprivate var limit = 100
    }

    /// Of a response with status 200.
    func answer(in response: HTTPResponse, atMost limit: Int) throws(SourceFailure) -> Answer {
        var answer: Answer
        do throws(JSONError) {
            answer = try JSONReader.read(response.body, rules: ProviderBody.rules) { (reader) throws(JSONError) in
                try readAnswer(&reader, atMost: limit)
            }
        } catch {
            throw .unavailable("the answer can't be read: \(error)")
        }
        answer.envelope.isEmpty = answer.items == 0
        try answer.envelope.check(response)
        return answer
    }

    private func readAnswer(_ reader: inout JSONReader, atMost limit: Int) throws(JSONError) -> Answer {
        var answer = Answer(limit: limit)
        guard try reader.beginObjectOrSkip() else { return answer }
        while let key = try reader.nextKey() {
            switch key {
            case "data": try readData(&reader, into: &answer)
            case "meta": try readMeta(&reader, into: &answer)
            case "pagination": try readPagination(&reader, into: &answer)
            default: try reader.skip()
            }
        }
        return answer
    }

    private func readMeta(_ reader: inout JSONReader, into answer: inout Answer) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "status": if let status = try reader.wholeNumberOrSkip() { answer.envelope.status = status }
            case "response_id": answer.envelope.responseIDIsBlank = try reader.textOrSkip().map(\.isEmpty) ?? false
            default: try reader.skip()
            }
        }
    }

    /// The total isn't told by every end point (docs/api/schema/pagination-object).
    private func readPagination(_ reader: inout JSONReader, into answer: inout Answer) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "total_count":
                answer.total = try reader.wholeNumberOrSkip().flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
            default: try reader.skip()
            }
        }
    }

    /// A list; one object where the end point has a single result; null or an empty list where it found none.
    private func readData(_ reader: inout JSONReader, into answer: inout Answer) throws(JSONError) {
        answer.envelope.hasData = true
        switch try reader.peek() {
        case .array:
            var page = PageWriter()
            var slots = GiphyRenditions()
            try reader.beginArray()
            while try reader.nextElement() {
                answer.items += 1
                guard page.count < answer.limit else {
                    try reader.skip()
                    continue
                }
                try readItem(&reader, &slots, into: &page)
            }
            answer.gifs = page.gifs()
        case .object:
            var page = PageWriter()
            var slots = GiphyRenditions()
            try readItem(&reader, &slots, into: &page)
            answer.gifs = page.gifs()
            answer.items = answer.gifs.count
        case .null, .string, .number, .bool:
            try reader.skip()
        }
    }

    /// Leaves out what can't be posted, without an id or a moving rendition with a link that may be posted, and what is there
    /// already. Texts go from the body into the page as they are: a page has hundreds.
    private func readItem(
        _ reader: inout JSONReader, _ slots: inout GiphyRenditions, into writer: inout PageWriter
    ) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        var id: ItemID?
        var title: JSONText?
        var page: JSONText?
        var author: JSONText?
        var altText: JSONText?
        var rating: Rating?
        var isSticker = false
        slots.clear()
        while let key = try reader.nextKey() {
            switch key {
            case "id": id = try readID(&reader)
            case "type": if let type = try reader.textOrSkip(), type == "sticker" { isSticker = true }
            case "is_sticker": if try readFlag(&reader) { isSticker = true }
            case "title": title = try reader.textOrSkip()
            case "url": page = try reader.textOrSkip()
            case "username": author = try reader.textOrSkip()
            case "alt_text": altText = try reader.textOrSkip()
            case "rating": rating = try reader.textOrSkip().flatMap { Rating(giphyText: $0) }
            case "images": try slots.read(&reader)
            default: try reader.skip()
            }
        }
        guard let id else { return }
        let files = slots.keepThose(allowedBy: media)
        guard files > 0 else { return }
        if let link = page, !link.withBytes({ media.allows($0) }) { page = nil }
        let texts = PackedTexts(
            source: source, title: title, credit: credit, pageURL: page, author: author, altText: altText)
        id.withBytes { id in
            // It is stored and compared, and `source:id` is typed by people.
            guard 1...100 ~= id.count, id.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !writer.contains(id: id) else {
                return
            }
            writer.append(atMost: texts.most + id.count + slots.most) { writer in
                PackedGif.write(
                    id: id, texts, kind: isSticker ? .sticker : .gif, rating: rating, fileCount: files, to: &writer
                ) { slots.write(to: &$0) }
            }
        }
    }

    /// 0 or 1, or as other flags of other services are.
    private func readFlag(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch try reader.peek() {
        case .number: return try reader.wholeNumberOrSkip() == 1
        case .bool: return try reader.boolOrSkip() ?? false
        case .string: return try reader.textOrSkip().map { $0 == "1" || $0 == "true" } ?? false
        case .array, .object, .null:
            try reader.skip()
            return false
        }
    }

    private enum ItemID {
        case text(JSONText)
        case number(String)

        func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
            switch self {
            case .text(let text): text.withBytes(body)
            case .number(let number): number.withBytes(body)
            }
        }
    }

    /// A string, or in old items a number.
    private func readID(_ reader: inout JSONReader) throws(JSONError) -> ItemID? {
        try reader.peek() == .number
            ? try reader.integerOrSkip().map { .number(String($0)) } : try reader.textOrSkip().map { .text($0) }
    }
}

extension Rating {
    /// Any letter case; `y` is a name of old for what is fit for everybody. Nil for blank and unknown ones, which count as
    /// unrated.
    init?(giphyText text: JSONText) {
        switch text {
        case "g": self = .g
        case "pg": self = .pg
        case "pg-13": self = .pg13
        case "r": self = .r
        default:
            let lower = text.string.lowercased()
            guard let rating = lower == "y" ? .g : Rating(rawValue: lower) else { return nil }
            self = rating
        }
    }
}

extension JSONReader {
    /// Numbers come as numbers from some end points and as text from others.
    mutating func wholeNumberOrSkip() throws(JSONError) -> Int64? {
        try peek() == .string ? try text().integer : try integerOrSkip()
    }
}
