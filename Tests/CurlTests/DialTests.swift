import Base
import Curl
import Glibc
import HTTP
import Net
import Synchronization
import TestSupport
import Testing

@Suite("Dialling by libcurl", .timeLimit(.minutes(5)))
struct DialTests {
    private let client = CurlClient(userAgent: "gifbot-test/1")

    @Loop private func failure(_ target: DialTarget) async -> DialError? {
        do throws(DialError) {
            close(try await client.dial(target))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "a dialled socket is connected, non-blocking, close-on-exec, and outlives libcurl's own",
        arguments: ["127.0.0.1", "localhost"])
    @Loop func dial(host: String) async throws {
        let server = LoopbackServer { peer in peer.write(peer.read()) }
        let descriptor = try await client.dial(DialTarget(host: host, port: server.port))
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        let recorder = EchoRecorder()
        let connection = try ByteConnection(descriptor: descriptor, loop: TestLoop.shared, handler: recorder)
        connection.send(Array("hello".utf8))
        await recorder.signal.wait()
        #expect(recorder.text == "hello")
        connection.close()
        server.stop()
    }

    @Test("an HTTP connection that is kept isn't handed out")
    @Loop func notShared() async throws {
        let web = WebStandIn { _, peer in peer.answer(text: "x") }
        _ = try await client.send(.init(.get, web.url("/"), timeout: .seconds(60)))
        close(try await client.dial(DialTarget(host: "127.0.0.1", port: web.port)))
        _ = try await client.send(.init(.get, web.url("/"), timeout: .seconds(60)))
        #expect(web.requests.count == 2)
        web.stop()
    }

    @Test("refused, unknown, senseless")
    @Loop func failures() async {
        #expect(await failure(DialTarget(host: "127.0.0.1", port: 1)) == .refused(host: "127.0.0.1", port: 1))
        #expect(await failure(DialTarget(host: "::1", port: 1)) != nil)
        #expect(
            await failure(DialTarget(host: "gifbot.invalid", port: 6697, timeout: .seconds(20)))
                == .nameLookupFailed(host: "gifbot.invalid"))
        for host in ["", "a b", "a/b", "u@h", "h?x", "h#x", "[::1]", "a\r\nb"] {
            #expect(await failure(DialTarget(host: host, port: 1)) == .badTarget(reason: "not a host name"))
        }
        for port in [0, -1, 65536] {
            #expect(await failure(DialTarget(host: "h", port: port)) == .badTarget(reason: "\(port) is not a port"))
        }
        #expect(
            await failure(DialTarget(host: "127.0.0.1", port: 9, bindAddress: "192.0.2.1"))
                == .bindFailed(address: "192.0.2.1"))
        #expect(
            await failure(DialTarget(host: "127.0.0.1", port: 9, bindAddress: "no-such-if"))
                == .bindFailed(address: "no-such-if"))
    }

    @Test("from a chosen address", arguments: ["127.0.0.2", "lo"])
    @Loop func bound(address: String) async throws {
        let server = LoopbackServer { peer in
            var from = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            _ = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(peer.descriptor, $0, &length) }
            }
            peer.write(String(UInt32(bigEndian: from.sin_addr.s_addr) & 255))
        }
        let target = DialTarget(host: "127.0.0.1", port: server.port, bindAddress: address)
        let recorder = EchoRecorder()
        let connection = try ByteConnection(
            descriptor: try await client.dial(target), loop: TestLoop.shared, handler: recorder)
        await recorder.signal.wait()
        #expect(recorder.text == (address == "lo" ? "1" : "2"))
        connection.close()
        server.stop()
    }

    @Test("a target is shown without its proxy")
    func shown() {
        let target = DialTarget(host: "h", port: 6697, proxy: "socks5h://user:password@p")
        #expect("\(target)" == "h:6697")
    }

    @Test("a deadline that has passed, and a cancelled dial")
    @Loop func givenUp() async {
        #expect(await failure(DialTarget(host: "h", port: 1, timeout: .zero)) == .timedOut(host: "h", port: 1))
        let task = Task { @Loop in
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure(DialTarget(host: "127.0.0.1", port: 1))
        }
        #expect(await task.value == .cancelled)
    }

    @Test("through an HTTP proxy; a silent one times out, and no message shows its password")
    @Loop func httpProxy() async throws {
        let target = LoopbackServer { peer in peer.write("hello") }
        let proxy = LoopbackServer { peer in
            let request = String(decoding: peer.read(), as: UTF8.self)
            if request.hasPrefix("CONNECT irc.example.test:6697 ") {
                peer.write("HTTP/1.1 200 OK\r\n\r\nhello")
            } else if request.hasPrefix("CONNECT silent.example.test:") {
                _ = peer.read()
            } else {
                peer.write("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
            }
            _ = peer.read()
        }
        let address = "http://user:password@127.0.0.1:\(proxy.port)"
        #expect(try await firstWord(through: address) == "hello")
        #expect(
            await failure(DialTarget(host: "other.example.test", port: 1, proxy: address))
                == .proxyFailed(reason: "it answered 403"))
        #expect(
            await failure(
                DialTarget(host: "silent.example.test", port: 1, proxy: address, timeout: .milliseconds(100)))
                == .timedOut(host: "silent.example.test", port: 1))
        let dead = "socks5h://user:password@127.0.0.1:1"
        #expect(
            await failure(DialTarget(host: "h.example.test", port: 1, proxy: dead))
                == .proxyFailed(reason: "Connection refused"))
        for proxy in ["", "ftp://h", "socks5h://", "127.0.0.1:9050", "http://a b"] {
            guard case .badTarget = await failure(DialTarget(host: "h", port: 1, proxy: proxy)) else {
                Issue.record("took \(proxy)")
                continue
            }
        }
        target.stop()
        proxy.stop()
    }

    /// What the server behind the proxy says first.
    @Loop private func firstWord(through proxy: String) async throws -> String {
        let descriptor = try await client.dial(DialTarget(host: "irc.example.test", port: 6697, proxy: proxy))
        let recorder = EchoRecorder()
        let connection = try ByteConnection(descriptor: descriptor, loop: TestLoop.shared, handler: recorder)
        await recorder.signal.wait()
        connection.close()
        return recorder.text
    }

    @Test("through SOCKS5, which is given the name; its refusals are told")
    @Loop func socks() async throws {
        let proxy = LoopbackServer { peer in
            // RFC 1928: greeting, method "none", request with a domain name, reply.
            _ = peer.read()
            peer.write([5, 0])
            let request = peer.read()
            guard request.starts(with: [5, 1, 0, 3]) else { return }
            let name = String(decoding: request[5..<(5 + Int(request[4]))], as: UTF8.self)
            let isKnown = name == "irc.example.test"
            peer.write([5, isKnown ? 0 : 4, 0, 1, 127, 0, 0, 1, 0, 1])
            if isKnown { peer.write("hello") }
            _ = peer.read()
        }
        let address = "socks5h://127.0.0.1:\(proxy.port)"
        #expect(try await firstWord(through: address) == "hello")
        #expect(
            await failure(DialTarget(host: "h.example.test", port: 1, proxy: address))
                == .proxyFailed(reason: "host unreachable"))
        proxy.stop()
    }

    @Test("through SOCKS5 with name and password (RFC 1929); a wrong one is told, and not shown")
    @Loop func socksLogin() async throws {
        let proxy = LoopbackServer { peer in
            let greeting = peer.read()
            guard greeting.first == 5, greeting.dropFirst(2).contains(2) else { return }
            peer.write([5, 2])
            let isRight = peer.read() == [1, 4] + Array("user".utf8) + [4] + Array("p@ss".utf8)
            peer.write([1, isRight ? 0 : 1])
            guard isRight else { return }
            _ = peer.read()
            peer.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 1])
            peer.write("hello")
            _ = peer.read()
        }
        func target(_ login: String) -> DialTarget {
            DialTarget(host: "irc.example.test", port: 6697, proxy: "socks5h://\(login)@127.0.0.1:\(proxy.port)")
        }
        let descriptor = try await client.dial(target("user:p%40ss"))
        let recorder = EchoRecorder()
        let connection = try ByteConnection(descriptor: descriptor, loop: TestLoop.shared, handler: recorder)
        await recorder.signal.wait()
        #expect(recorder.text == "hello")
        connection.close()
        let error = await failure(target("user:wrong"))
        #expect(error == .proxyFailed(reason: "it does not accept us"))
        #expect(error?.description.contains("wrong") == false)
        proxy.stop()
    }

    @Test("the environment's proxies are not used")
    func environment() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            let web = WebStandIn { _, peer in peer.answer(text: "x") }
            let client = CurlClient(userAgent: "x")
            close(try await client.dial(DialTarget(host: "127.0.0.1", port: web.port)))
            let response = try await client.send(.init(.get, web.url("/"), timeout: .seconds(60)))
            guard response.body == Array("x".utf8) else { fatalError("asked somebody else") }
        }
    }

    @Test("BUG-31: five hundred failed dials leave no descriptor behind")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let client = CurlClient(userAgent: "x")
            let silent = LoopbackServer { peer in _ = peer.read() }
            @Loop func rounds(_ count: Int) async {
                for round in 0..<count {
                    let proxy = round % 3 == 0 ? "http://127.0.0.1:\(silent.port)" : nil
                    let timeout = Duration.milliseconds(proxy == nil ? 5000 : 2)
                    let target = DialTarget(host: "127.0.0.1", port: 1, proxy: proxy, timeout: timeout)
                    if let descriptor = try? await client.dial(target) { close(descriptor) }
                }
            }
            // What is opened once: the loop, libcurl's own. This target is refused, so no stand-in has an end open.
            _ = try? await client.dial(DialTarget(host: "127.0.0.1", port: 1))
            let before = openDescriptors()
            await rounds(500)
            let after = await openDescriptors(atMost: before)
            guard before == after else { fatalError("before \(before), after \(after)") }
        }
    }

    @Test("BUG-31: without descriptors a dial is an error, and works again later")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer { peer in _ = peer.read() }
            let client = CurlClient(userAgent: "x")
            let target = DialTarget(host: "127.0.0.1", port: server.port)
            close(try await client.dial(target))
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let before = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            do throws(DialError) {
                close(try await client.dial(target))
                fatalError("dialled")
            } catch {
                guard error == .outOfDescriptors else { fatalError("\(error)") }
            }
            limit.rlim_cur = before
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            close(try await client.dial(target))
        }
    }
}

@Loop private final class EchoRecorder: ByteConnectionHandler {
    let signal = Signal()
    private(set) var text = ""

    func opened(_ connection: ByteConnection) {}

    func received(_ bytes: UnsafeRawBufferPointer, on connection: ByteConnection) {
        text += String(decoding: bytes, as: UTF8.self)
        signal.give()
    }

    func closed(_ end: ConnectionEnd, on connection: ByteConnection) { signal.give() }
}
