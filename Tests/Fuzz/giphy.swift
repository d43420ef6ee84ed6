import Base
import GiphySearch
import HTTP

/// A page of results. The first byte chooses the status that it comes with.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = Input(data, size)
    let statuses = [200, 200, 200, 400, 401, 403, 414, 429, 500, 502]
    let status = input.bytes.first == 0x7B ? 200 : statuses[Int(input.bytes.first ?? 0) % statuses.count]
    let body = input.bytes.first == 0x7B ? input.bytes : Array(input.bytes.dropFirst())
    let response = HTTPResponse(status: status, headers: [], body: body)
    guard let page = try? api.page(from: response, for: request) else { return 0 }
    for gif in page.gifs {
        must(!gif.title.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a title is one line")
    }
    return 0
}

private let request = PageRequest(SearchQuery(words: "owl", rating: .r, language: "en", kind: .gif))
private let api = GiphyAPI(key: Secret("key"))
