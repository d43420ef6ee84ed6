import Foundation

/// An answer of the bot, taken apart as a reader would: `title — W×H, size · GIPHY — URL`.
struct Answer: Sendable {
    let title: String
    let width: Int
    let height: Int
    let size: String
    let credit: String
    let url: String

    init(_ text: String) throws {
        let shape = #/^(.+) — (\d+)×(\d+), ([^·]+) · (.+) — (\S+)$/#
        guard let found = text.wholeMatch(of: shape)?.output, let width = Int(found.2), let height = Int(found.3)
        else { throw Trouble("not the shape of an answer: \(text)") }
        title = String(found.1)
        self.width = width
        self.height = height
        size = String(found.4)
        credit = String(found.5)
        url = String(found.6)
    }

    /// What the file at the URL says about itself.
    func header() async throws -> GIFHeader {
        let file = try await Web.call("GET", url)
        guard file.status == 200, let header = GIFHeader(file.body) else {
            throw Trouble("no GIF at \(url): status \(file.status)")
        }
        return header
    }
}
