import GiphySearch

/// The values of a template's names; an unknown one is empty.
struct AnswerFields {
    private var title: String
    private var width = ""
    private var height = ""
    private var size = ""
    private var rating: String
    private var provider: String
    private var credit: String
    private var by: String
    private var url: String

    init(_ gif: Gif, _ rendition: Rendition) {
        self.init(gif, page: rendition.url)
        width = rendition.width.map(String.init) ?? ""
        height = rendition.height.map(String.init) ?? ""
        size = rendition.byteCount.map(FileSize.text) ?? ""
    }

    /// The dimensions belong to a file, so a page has none.
    init(_ gif: Gif, page: String) {
        title = CleanText.title(gif.title)
        rating = gif.rating?.rawValue ?? ""
        provider = gif.source
        credit = gif.credit
        by = gif.author.map(CleanText.title) ?? ""
        url = page
    }

    subscript(field: ReplyTemplate.Field) -> String {
        get {
            switch field {
            case .title: title
            case .width: width
            case .height: height
            case .size: size
            case .rating: rating
            case .provider: provider
            case .credit: credit
            case .by: by
            case .url: url
            }
        }
        set {
            switch field {
            case .title: title = newValue
            case .width: width = newValue
            case .height: height = newValue
            case .size: size = newValue
            case .rating: rating = newValue
            case .provider: provider = newValue
            case .credit: credit = newValue
            case .by: by = newValue
            case .url: url = newValue
            }
        }
    }
}
