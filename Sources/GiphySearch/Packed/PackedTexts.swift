/// The texts of one GIF on their way into its bytes, where they are made fit for one line of chat.
struct PackedTexts<Text: PackedText> {
    let source: String
    let title: Text?
    let credit: String
    let pageURL: Text?
    let author: Text?
    let altText: Text?

    /// Bytes that a GIF takes at most, beside its id and its files.
    var most: Int {
        let own = [title, pageURL, author, altText].reduce(0) { $0 + ($1?.mostBytes ?? 0) }
        return 128 + source.utf8.count + credit.utf8.count + own
    }

    /// In the order of `PackedGif.Text`.
    func write(to writer: inout ByteWriter) {
        if let title {
            writer.line(title, maximumScalars: 200)
        } else {
            writer.line("", maximumScalars: 200)
        }
        writer.line(credit, maximumScalars: 200)
        writer.optional(pageURL)
        writer.lineUnlessEmpty(author, maximumScalars: 100)
        writer.lineUnlessEmpty(altText, maximumScalars: 400)
    }
}
