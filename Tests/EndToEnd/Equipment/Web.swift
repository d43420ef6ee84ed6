import Foundation
import FoundationNetworking

/// JSON values as the tests look at them.
struct JSON: @unchecked Sendable {
    // JSONSerialization's values are never changed after they were read.
    let value: Any?

    init(_ value: Any?) { self.value = value }

    subscript(_ keys: String...) -> JSON {
        JSON(keys.reduce(value) { ($0 as? [String: Any])?[$1] })
    }
    var list: [JSON] { (value as? [Any] ?? []).map { JSON($0) } }
    var members: [String: JSON] { (value as? [String: Any] ?? [:]).mapValues { JSON($0) } }
    var text: String? { value as? String }
    var number: Int? { (value as? NSNumber)?.intValue }
}

struct WebAnswer: Sendable {
    let status: Int
    let body: Data

    var json: JSON { JSON(try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed)) }
}

enum Web {
    static func call(
        _ method: String, _ address: String, json: [String: Any]? = nil, token: String? = nil,
        timeout: TimeInterval = 30
    ) async throws -> WebAnswer {
        guard let url = URL(string: address) else { throw Trouble("no URL: \(address)") }
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let json {
            request.httpBody = try JSONSerialization.data(withJSONObject: json)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        let (body, response) = try await URLSession.shared.data(for: request)
        return WebAnswer(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: body)
    }
}

/// What a GIF file says about itself.
struct GIFHeader: Equatable {
    let width: Int
    let height: Int

    /// The logical screen descriptor: two little-endian numbers after the signature.
    init?(_ data: Data) {
        let bytes = Array(data.prefix(10))
        guard bytes.count == 10, bytes.starts(with: Array("GIF8".utf8)) else { return nil }
        width = Int(bytes[6]) | Int(bytes[7]) << 8
        height = Int(bytes[8]) | Int(bytes[9]) << 8
    }
}
