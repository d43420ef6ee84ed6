import Synchronization
import TestSupport

/// A small HTTP/1.1 server on loopback that answers by path.
final class WebStandIn: Sendable {
    struct Request {
        let method: String
        let path: String
        let headers: [String: String]
        let body: [UInt8]
    }

    /// Writes the whole answer; false closes the connection.
    typealias Answer = @Sendable (Request, LoopbackPeer) -> Bool

    private let server: LoopbackServer
    private let seen: Seen

    private final class Seen: Sendable {
        let requests = Mutex<[Request]>([])
    }

    init(_ answer: @escaping Answer) {
        let seen = Seen()
        self.seen = seen
        server = LoopbackServer { peer in
            var buffer: [UInt8] = []
            while let request = WebStandIn.read(peer, &buffer) {
                seen.requests.withLock { $0.append(request) }
                if !answer(request, peer) { return }
            }
        }
    }

    var port: Int { server.port }
    var connections: Int { server.accepted }
    var requests: [Request] { seen.requests.withLock { $0 } }
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
    func stop() { server.stop() }

    private static func read(_ peer: LoopbackPeer, _ buffer: inout [UInt8]) -> Request? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let head = buffer.firstRange(of: end) {
                let lines = String(decoding: buffer[..<head.lowerBound], as: UTF8.self)
                    .split(separator: "\r\n").map(String.init)
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    guard let colon = line.firstIndex(of: ":") else { continue }
                    headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
                }
                let length = Int(headers["content-length"] ?? "") ?? 0
                if buffer.count >= head.upperBound + length {
                    let words = lines[0].split(separator: " ").map(String.init)
                    let body = Array(buffer[head.upperBound..<(head.upperBound + length)])
                    buffer.removeFirst(head.upperBound + length)
                    return Request(method: words[0], path: words[1], headers: headers, body: body)
                }
            }
            let more = peer.read()
            if more.isEmpty { return nil }
            buffer += more
        }
    }
}

extension LoopbackPeer {
    /// One whole answer on a connection that stays open.
    @discardableResult
    func answer(_ status: String = "200 OK", _ headers: [String] = [], body: [UInt8] = []) -> Bool {
        let head = ["HTTP/1.1 " + status, "Content-Length: \(body.count)"] + headers
        return write(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    @discardableResult
    func answer(_ status: String = "200 OK", _ headers: [String] = [], text: String) -> Bool {
        answer(status, headers, body: Array(text.utf8))
    }
}
