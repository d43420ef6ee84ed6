import Base
import Curl
import Foundation
import Glibc
import HTTP
import Synchronization
import TestSupport
import Testing

@Suite("HTTP by libcurl", .timeLimit(.minutes(5)))
struct SendTests {
    private let client = CurlClient(userAgent: "gifbot-test/1")
    private let limit = Duration.seconds(60)

    private static let hundredThousandZeros =
        "H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA"

    private func failure(_ request: HTTPRequest) async -> HTTPError? {
        do throws(HTTPError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test("status, headers in lower case, body; and what the server saw")
    func exchange() async throws {
        let web = WebStandIn { request, peer in
            peer.answer("201 Made", ["X-Thing:  one \t", "Content-Type: text/plain", "X-Empty:"], body: request.body)
        }
        let response = try await client.send(
            HTTPRequest(
                .post, web.url("/a?b=c"), headers: [HTTPHeader("Authorization", "Bearer x"), HTTPHeader("X-None", "")],
                body: Array("hello".utf8), timeout: limit))
        #expect(response.status == 201)
        #expect(response.header("x-thing") == "one")
        #expect(response.header("x-empty") == "")
        #expect(response.body == Array("hello".utf8))
        let seen = try #require(web.requests.first)
        #expect(seen.method == "POST")
        #expect(seen.path == "/a?b=c")
        #expect(seen.headers["authorization"] == "Bearer x")
        #expect(seen.headers["x-none"] == "")
        #expect(seen.headers["user-agent"] == "gifbot-test/1")
        #expect(seen.headers["content-type"] == nil)
        #expect(seen.headers["expect"] == nil)
        web.stop()
    }

    @Test("one connection serves many requests, and no method leaks into the next")
    func keepAlive() async throws {
        let web = WebStandIn { request, peer in peer.answer(text: request.method + String(request.body.count)) }
        for _ in 0..<5 {
            for (method, body) in [
                (HTTPRequest.Method.get, nil), (.put, [1, 2]), (.post, nil), (.get, nil), (.post, [1]),
            ]
                as [(HTTPRequest.Method, [UInt8]?)]
            {
                let text = try await client.send(
                    HTTPRequest(method, web.url("/"), body: body, timeout: limit),
                    decode: { String(decoding: $0.body, as: UTF8.self) })
                #expect(text == method.rawValue + String(body?.count ?? 0))
            }
        }
        #expect(web.connections == 1)
        web.stop()
    }

    @Test("a large body goes out whole, by either method, beside small ones on one connection")
    func largeBody() async throws {
        let web = WebStandIn { request, peer in
            let sum = request.body.reduce(into: 0) { $0 = ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
            return peer.answer(text: "\(request.body.count) \(sum) \(request.headers["content-length"] ?? "")")
        }
        for count in [65_536, 65_537, 3, 2_000_000, 0] {
            for method in [HTTPRequest.Method.post, .put] {
                let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
                let sum = body.reduce(into: 0) { $0 = ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
                let response = try await client.send(
                    HTTPRequest(method, web.url("/"), body: body, timeout: limit))
                #expect(String(decoding: response.body, as: UTF8.self) == "\(count) \(sum) \(count)")
            }
        }
        #expect(web.connections == 1)
        web.stop()
    }

    @Test("a large body is sent again when the kept connection turns out dead")
    func largeBodyAgain() async throws {
        let web = WebStandIn { request, peer in
            _ = peer.answer(text: String(request.body.count))
            // Closed after each answer, though nothing said so.
            return false
        }
        for count in [1, 300_000, 300_000] {
            let response = try await client.send(
                HTTPRequest(.put, web.url("/"), body: [UInt8](repeating: 9, count: count), timeout: limit))
            #expect(response.body == Array(String(count).utf8))
        }
        web.stop()
    }

    @Test("a long body without an announced length arrives whole")
    func longBody() async throws {
        let web = WebStandIn { _, peer in
            peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            for number in 0..<30 { peer.write([UInt8](repeating: UInt8(number), count: 100_000)) }
            return false
        }
        let response = try await client.send(
            HTTPRequest(.get, web.url("/"), timeout: limit, maximumBody: 8 << 20))
        #expect(response.body == (0..<30).flatMap { [UInt8](repeating: UInt8($0), count: 100_000) })
        web.stop()
    }

    @Test("decodes off the loop and comes back to it")
    @Loop func decodeThread() async throws {
        let web = WebStandIn { _, peer in peer.answer(text: "x") }
        let own = pthread_self()
        let thread = try await client.send(
            HTTPRequest(.get, web.url("/"), timeout: limit), decode: { _ in pthread_self() })
        #expect(thread != own)
        #expect(pthread_self() == own)
        web.stop()
    }

    @Test("a body over the limit is cut off, announced or not")
    func cap() async {
        let web = WebStandIn { request, peer in
            if request.path == "/announced" { return peer.answer(body: [UInt8](repeating: 1, count: 1001)) }
            peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while peer.write([UInt8](repeating: 1, count: 4096)) {}
            return false
        }
        for path in ["/announced", "/endless"] {
            let request = HTTPRequest(.get, web.url(path), timeout: limit, maximumBody: 1000)
            #expect(await failure(request) == .bodyTooLarge(limit: 1000))
        }
        web.stop()
    }

    @Test("a body of exactly the limit passes")
    func capExact() async throws {
        let web = WebStandIn { _, peer in peer.answer(body: [UInt8](repeating: 1, count: 1000)) }
        let response = try await client.send(
            HTTPRequest(.get, web.url("/"), timeout: limit, maximumBody: 1000))
        #expect(response.body.count == 1000)
        web.stop()
    }

    @Test("a server that says nothing is given up after the timeout")
    func timeout() async {
        let web = WebStandIn { _, peer in
            _ = peer.read()
            return false
        }
        let request = HTTPRequest(.get, web.url("/"), timeout: .milliseconds(80))
        #expect(await failure(request) == .timedOut(host: "127.0.0.1"))
        #expect(await failure(HTTPRequest(.get, web.url("/"), timeout: .zero)) == .timedOut(host: "127.0.0.1"))
        web.stop()
    }

    @Test("redirects: refused unless asked for, and never to another host, port or scheme")
    func redirects() async throws {
        let web = WebStandIn { request, peer in
            switch request.path {
            case "/same": peer.answer("302 Found", ["Location: /end"])
            case "/kept": peer.answer("307 Again", ["Location: /end"])
            case "/loop": peer.answer("302 Found", ["Location: /loop"])
            case "/else": peer.answer("302 Found", ["Location: http://127.0.0.2:1/"])
            case "/name": peer.answer("302 Found", ["Location: http://localhost/"])
            case "/file": peer.answer("302 Found", ["Location: file:///etc/passwd"])
            case "/304": peer.answer("304 Not Modified")
            default: peer.answer(text: request.method + String(request.body.count))
            }
        }
        let refused = HTTPError.redirectRefused(host: "127.0.0.1")
        func ask(_ path: String, _ follows: Bool) -> HTTPRequest {
            HTTPRequest(.post, web.url(path), body: [1], timeout: limit, followsRedirects: follows)
        }
        #expect(await failure(ask("/same", false)) == refused)
        for path in ["/else", "/name", "/file", "/loop"] { #expect(await failure(ask(path, true)) == refused) }
        #expect(try await client.send(ask("/same", true)).body == Array("GET0".utf8))
        #expect(try await client.send(ask("/kept", true)).body == Array("POST1".utf8))
        #expect(try await client.send(ask("/304", false)).status == 304)
        web.stop()
    }

    @Test(
        "addresses that are not asked",
        arguments: [
            "http://example.test/", "ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1", "", "http://",
            "http://127.0.0.1.example.test/", "http://127.0.0.1 /", "http://127.0.0.1/\r\nX: y", "https://a b/",
            "http://localhost.example.test/", "http://[::2]/", "http://0.0.0.0/", "gopher://localhost/",
            "http://user@example.test#@127.0.0.1/",
        ])
    func refused(url: String) async {
        #expect(await failure(HTTPRequest(.get, url, timeout: limit)) == .addressRefused)
    }

    @Test(
        "headers that would make two are not sent",
        arguments: [("X", "a\r\nY: b"), ("X\n", "a"), ("X: y", "a"), ("", "a"), ("X", "\0")])
    func headerInjection(name: String, value: String) async {
        let web = WebStandIn { _, peer in peer.answer() }
        let request = HTTPRequest(.get, web.url("/"), headers: [HTTPHeader(name, value)], timeout: limit)
        guard case .broken(host: "127.0.0.1", _) = await failure(request) else {
            Issue.record("sent")
            return
        }
        #expect(web.requests.isEmpty)
        web.stop()
    }

    @Test("too many headers end the transfer")
    func manyHeaders() async {
        let web = WebStandIn { _, peer in peer.answer("200 OK", (0..<300).map { "X-\($0): y" }) }
        let request = HTTPRequest(.get, web.url("/"), timeout: limit)
        #expect(await failure(request) == .broken(host: "127.0.0.1", reason: "too many headers"))
        web.stop()
    }

    @Test("cancelling the task ends the transfer", arguments: [false, true])
    func cancel(before: Bool) async {
        let client = client
        let limit = limit
        await confirmation { confirm in
            let signal = Signal()
            let web = WebStandIn { _, peer in
                signal.give()
                _ = peer.read()
                return false
            }
            let task = Task { [url = web.url("/")] in
                do throws(HTTPError) {
                    if before { withUnsafeCurrentTask { $0?.cancel() } }
                    _ = try await client.send(HTTPRequest(.get, url, timeout: limit))
                } catch {
                    #expect(error == .cancelled)
                    confirm()
                }
            }
            if !before {
                await signal.wait()
                task.cancel()
            }
            await task.value
            web.stop()
        }
    }

    @Test("refused and unknown hosts are told by host alone")
    func unreachable() async {
        let request = HTTPRequest(.get, "http://127.0.0.1:1/secret?key=k", timeout: limit)
        #expect(await failure(request) == .connectFailed(host: "127.0.0.1", reason: "Connection refused"))
        let unknown = HTTPRequest(.get, "https://gifbot.invalid/secret?key=k", timeout: limit)
        let error = await failure(unknown)
        #expect(error.map { !"\($0)".contains("key") } == true)
    }

    @Test("stop ends what is under way, and later requests are refused")
    func stop() async {
        let client = CurlClient(userAgent: "x")
        let limit = limit
        let signal = Signal()
        let web = WebStandIn { _, peer in
            signal.give()
            _ = peer.read()
            return false
        }
        let url = web.url("/")
        let task = Task { () -> HTTPError? in
            do throws(HTTPError) {
                _ = try await client.send(HTTPRequest(.get, url, timeout: limit))
                return nil
            } catch {
                return error
            }
        }
        await signal.wait()
        client.stop()
        client.stop()
        #expect(await task.value == .cancelled)
        await #expect(throws: HTTPError.overloaded) { try await client.send(HTTPRequest(.get, url, timeout: limit)) }
        let unused = CurlClient(userAgent: "x")
        unused.stop()
        web.stop()
    }

    @Test("two hundred at once all come back; past the host's limit they are refused")
    func many() async {
        let release = Signal()
        let web = WebStandIn { _, peer in
            release.waitOnThread()
            return peer.answer(text: "x")
        }
        let client = client
        let request = HTTPRequest(.get, web.url("/"), timeout: .seconds(60))
        let results = Results()
        await withTaskGroup { group in
            for _ in 0..<300 {
                group.addTask {
                    do throws(HTTPError) {
                        _ = try await client.send(request)
                        results.good.add(1, ordering: .relaxed)
                    } catch {
                        #expect(error == .overloaded)
                        if results.overloaded.add(1, ordering: .relaxed).newValue == 44 { release.give() }
                    }
                }
            }
        }
        #expect(results.good.load(ordering: .relaxed) == 256)
        #expect(results.overloaded.load(ordering: .relaxed) == 44)
        web.stop()
    }

    @Test("bodies under way are bounded together: past 32 MiB a transfer is given up")
    func bodies() async {
        let release = Signal()
        let web = WebStandIn { _, peer in
            let body = [UInt8](repeating: 1, count: 1 << 20)
            peer.write("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            peer.write(Array(body.dropLast()))
            release.waitOnThread()
            return peer.write([1])
        }
        let client = client
        let request = HTTPRequest(.get, web.url("/"), timeout: .seconds(60))
        let results = Results()
        await withTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    do throws(HTTPError) {
                        _ = try await client.send(request, decode: \.body.count)
                        results.good.add(1, ordering: .relaxed)
                    } catch {
                        #expect(error == .overloaded)
                        // Thirty-two fit, short of their last byte.
                        if results.overloaded.add(1, ordering: .relaxed).newValue == 8 { release.give() }
                    }
                }
            }
        }
        #expect(results.good.load(ordering: .relaxed) == 32)
        #expect(results.overloaded.load(ordering: .relaxed) == 8)
        // All of it has been given back.
        #expect(await failure(request) == nil)
        web.stop()
    }

    @Test("a compressed body is unpacked, and the limit holds for what comes out")
    func compressed() async throws {
        // 100,000 zero bytes, packed by gzip into 132.
        let packed = Array(try #require(Data(base64Encoded: Self.hundredThousandZeros)))
        let web = WebStandIn { request, peer in
            #expect(request.headers["accept-encoding"]?.contains("gzip") == true)
            return peer.answer("200 OK", ["Content-Encoding: gzip"], body: packed)
        }
        let response = try await client.send(HTTPRequest(.get, web.url("/"), timeout: limit))
        #expect(response.body == [UInt8](repeating: 0, count: 100_000))
        let small = HTTPRequest(.get, web.url("/"), timeout: limit, maximumBody: 99_999)
        #expect(await failure(small) == .bodyTooLarge(limit: 99_999))
        web.stop()
    }

    @Test("https with an authority of our own; without it the certificate is refused")
    func https() async throws {
        let identity = TestCertificates.shared.good
        let server = LoopbackServer { peer in
            guard let tls = try? TLSPeer(peer, identity) else { return }
            while !tls.read().isEmpty {
                tls.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
            }
        }
        let trusting = CurlClient(userAgent: "x", caFile: TestCertificates.shared.authority)
        let url = "https://localhost:\(server.port)/secret"
        let response = try await trusting.send(HTTPRequest(.get, url, timeout: limit))
        #expect(response.body == Array("ok".utf8))
        guard case .tlsFailed(host: "localhost", let reason) = await failure(HTTPRequest(.get, url, timeout: limit))
        else {
            Issue.record("trusted a stranger")
            return
        }
        #expect(reason.contains("certificate") && !reason.contains("secret"))
        server.stop()
    }
}

private final class Results: Sendable {
    let good = Atomic(0)
    let overloaded = Atomic(0)
}
