import GiphySearch

/// Fills a template so that the line fits: the URL is never cut or altered, the title gives way first.
enum ReplyComposer {
    struct Line: Equatable {
        let text: String
        let url: String
    }

    /// `budget`: bytes that the line may have. Nil when neither the file's URL nor the page's fits.
    static func line(for gif: Gif, _ rendition: Rendition, template: ReplyTemplate, budget: Int) -> Line? {
        if isUsable(rendition.url), rendition.url.utf8.count <= budget {
            return Line(
                text: text(of: template, AnswerFields(gif, rendition), budget: budget), url: rendition.url)
        }
        guard let page = gif.pageURL, isUsable(page), page.utf8.count <= budget else { return nil }
        return Line(text: text(of: template, AnswerFields(gif, page: page), budget: budget), url: page)
    }

    /// A URL with a space or control character in it is none, and could end the line.
    private static func isUsable(_ url: String) -> Bool {
        !url.isEmpty && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func text(of template: ReplyTemplate, _ fields: AnswerFields, budget: Int) -> String {
        var fields = fields
        let whole = template.filled(with: fields)
        if whole.utf8.count <= budget { return whole }
        if let shorter = withShorterTitle(template, fields, from: whole, budget: budget) { return shorter }
        for field in givingWay {
            fields[field] = ""
            let text = template.filled(with: fields)
            if text.utf8.count <= budget { return text }
        }
        return fields[.url]
    }

    /// What is left out when a short title doesn't help, one after the other; the credit is owed to the source.
    private static let givingWay: [ReplyTemplate.Field] = [
        .title, .by, .size, .width, .height, .rating, .provider, .credit,
    ]

    private static func withShorterTitle(
        _ template: ReplyTemplate, _ fields: AnswerFields, from whole: String, budget: Int
    ) -> String? {
        let uses = template.uses(of: .title)
        let title = fields[.title]
        guard uses > 0, !title.isEmpty else { return nil }
        let others = whole.utf8.count - uses * title.utf8.count
        guard others < budget else { return nil }
        var shorter = fields
        shorter[.title] = CutText.fit(title, budget: (budget - others) / uses)
        return shorter[.title].isEmpty ? nil : template.filled(with: shorter)
    }
}
