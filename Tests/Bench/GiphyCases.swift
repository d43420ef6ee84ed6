import Base
import GiphySearch
import HTTP

enum GiphyCases {
    static func run(_ measure: Measure) {
        let api = GiphyAPI(key: Secret("bench"))
        let response = HTTPResponse(status: 200, body: Array(GiphyPage.text(results: 25).utf8))
        let query = SearchQuery(words: "party parrot", rating: .g, language: "en", kind: .gif)
        let request = PageRequest(query)
        measure("giphy: decode a page of 25, \(response.body.count / 1000) KB") { count in
            for _ in 0..<count { use(try? api.page(from: response, for: request)) }
        }
        measure("giphy: build a request") { count in
            for _ in 0..<count { use(api.request(for: request)) }
        }
    }
}

/// A page in GIPHY's documented shape, renditions that nobody asked for included.
enum GiphyPage {
    private static let renditions: [(name: String, width: Int, height: Int, file: String)] = [
        ("original", 480, 270, "giphy.gif"), ("downsized", 480, 270, "giphy-downsized.gif"),
        ("downsized_large", 480, 270, "giphy.gif"), ("downsized_medium", 480, 270, "giphy.gif"),
        ("fixed_height", 356, 200, "200.gif"), ("fixed_width", 200, 113, "200w.gif"),
        ("fixed_height_still", 356, 200, "200_s.gif"), ("preview_gif", 101, 57, "giphy-preview.gif"),
        ("480w_still", 480, 270, "480w_s.jpg"), ("original_still", 480, 270, "giphy_s.gif"),
    ]

    static func text(results: Int) -> String {
        let items = (0..<results).map(item).joined(separator: ",")
        return #"{"data":[\#(items)],"meta":{"status":200,"msg":"OK","response_id":"abc123"},"#
            + #""pagination":{"total_count":4321,"count":\#(results),"offset":0}}"#
    }

    private static func item(_ index: Int) -> String {
        let id = "Gbench\(index)"
        let images = renditions.map { rendition in
            let url = "https://media\(index % 5).giphy.com/media/v1.Y2lkPWJlbmNoJmVwPXYxX2dpZnNfc2VhcmNoJmN0PWc/\(id)/"
            return #""\#(rendition.name)":{"height":"\#(rendition.height)","width":"\#(rendition.width)","#
                + #""size":"\#(900_000 + index)","url":"\#(url)\#(rendition.file)"}"#
        }
        return #"{"type":"gif","id":"\#(id)","url":"https://giphy.com/gifs/\#(id)","slug":"party-\#(id)","#
            + #""title":"Caf\u00e9 Party GIF No. \#(index)","rating":"g","username":"someone","images":{"#
            + images.joined(separator: ",") + "}}"
    }
}
