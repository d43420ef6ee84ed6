import Glibc
import Synchronization

/// A TCP server on 127.0.0.1 for one test: each connection is served by a function on a thread of its own, with
/// blocking calls that give up after a minute.
public final class LoopbackServer: Sendable {
    public let port: Int
    private let listener: Int32
    private let count = Mutex(0)
    private let isListening = Mutex(true)
    private let serve: @Sendable (LoopbackPeer) -> Void

    public init(_ serve: @escaping @Sendable (LoopbackPeer) -> Void) {
        self.serve = serve
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let succeeded = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 600) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        precondition(succeeded, "no loopback listener")
        port = Int(UInt16(bigEndian: address.sin_port))
        startThread { [self] in acceptAll() }
    }

    /// How many connections came so far.
    public var accepted: Int { count.withLock { $0 } }

    /// Later connections are refused; those there are go on.
    public func stop() {
        // Once the listener is closed its number may be another socket's.
        isListening.withLock { if $0 { shutdown(listener, Int32(SHUT_RDWR)) } }
    }

    private func acceptAll() {
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor < 0 {
                // A test that takes all descriptors away takes them from here, too, and gives them back.
                guard [EMFILE, ENFILE, EINTR, ECONNABORTED].contains(errno) else { break }
                sched_yield()
                continue
            }
            count.withLock { $0 += 1 }
            startThread { [serve] in
                let peer = LoopbackPeer(descriptor)
                serve(peer)
                peer.close()
            }
        }
        isListening.withLock { isListening in
            isListening = false
            close(listener)
        }
    }

    /// A connected socket to a port of this machine, as a dialler would hand it out.
    public static func connect(to port: Int) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "cannot connect")
        return descriptor
    }
}

/// One connection of a `LoopbackServer`; used on its thread alone.
public final class LoopbackPeer {
    public let descriptor: Int32
    private var isClosed = false

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// What has come; empty at the end and on errors.
    public func read(atMost limit: Int = 64 << 10) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, limit, 0))
        }
    }

    /// False when the other side doesn't take it.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let result = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard result > 0 else { return false }
            sent += result
        }
        return true
    }

    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Ends with a reset instead of a normal close.
    public func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    public func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(descriptor)
    }
}

/// Runs a function on a thread of its own.
public func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { argument in
            Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(result == 0, "no thread")
    pthread_detach(thread)
}
