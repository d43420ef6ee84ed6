public import Base
import Files
import Glibc
public import OpenSSL

/// What happens on a connection. Called on the loop, never from inside a call to the connection.
@Loop public protocol ByteConnectionHandler: AnyObject {
    /// Bytes can be sent; over TLS the peer's certificate has passed.
    func opened(_ connection: ByteConnection)
    /// The bytes are only there during the call.
    func received(_ bytes: UnsafeRawBufferPointer, on connection: ByteConnection)
    /// The end, told once, unless the owner itself closed the connection.
    func closed(_ end: ConnectionEnd, on connection: ByteConnection)
}

/// Why a connection ended.
public enum ConnectionEnd: Equatable, Sendable, CustomStringConvertible {
    /// The peer closed it, with or without TLS's close-notify.
    case byPeer
    case failed(String)
    case tlsFailed(TLSError)

    public var description: String {
        switch self {
        case .byPeer: "closed by the other side"
        case .failed(let reason): reason
        case .tlsFailed(let error): error.description
        }
    }
}

/// A connected socket with or without TLS: bytes out, bytes in, one end. Deadlines are its owner's business.
@Loop public final class ByteConnection {
    /// What may wait to be sent; a peer that reads so little is as good as gone.
    public static let unsentLimit = 256 << 10
    /// Ciphertext (or plain bytes) taken in a wake-up.
    private static let readSize = 64 << 10
    /// Shared by all connections: it is filled and handed out within one callback, which nothing can interrupt.
    private static let wire = UnsafeMutableRawBufferPointer.allocate(byteCount: readSize, alignment: 16)
    private static let plain = UnsafeMutableRawBufferPointer.allocate(
        byteCount: readSize + TLSEngine.heldBack, alignment: 16)

    private enum State {
        case opening, open, ended
    }

    private let descriptor: Int32
    private let tls: TLSEngine?
    private let loop: EventLoop
    private let queue: ByteQueue
    private var early: [UInt8] = []
    private var handler: (any ByteConnectionHandler)?
    private var registration: Registration?
    private var wantsWrite = false
    private var cannotWrite = false
    private var state = State.opening

    /// Takes over the descriptor, which is closed with the connection and also when this throws. The handler is kept
    /// until the end.
    public init(
        descriptor: Int32, tls: TLSEngine? = nil, loop: EventLoop, handler: any ByteConnectionHandler
    ) throws(NetError) {
        self.descriptor = descriptor
        self.tls = tls
        self.loop = loop
        self.handler = handler
        queue = tls?.output ?? ByteQueue()
        do {
            try Syscalls.makeNonBlocking(descriptor)
            registration = try loop.watch(descriptor, for: .read) { [self] in ready($0) }
        } catch {
            Syscalls.close(descriptor)
            throw error
        }
        loop.soon { [self] in start() }
    }

    /// Bytes that the socket did not take yet (over TLS as they travel).
    public var unsentBytes: Int { queue.count + early.count }

    /// Sends now what the socket takes and keeps the rest; before `opened`, and not over TLS before the certificate
    /// has passed, all of it. When more than `unsentLimit` waits, the connection fails. Ignored after the end.
    public func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { send($0) }
    }

    public func send(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .ended: return
        case .opening: early.append(contentsOf: bytes)
        case .open: write(bytes)
        }
        if unsentBytes > Self.unsentLimit { end(.failed("the other side stopped reading")) }
    }

    /// Says goodbye (TLS's close-notify) and closes; `closed` is not called.
    public func close() {
        handler = nil
        guard state != .ended else { return }
        tls?.close()
        flush()
        guard state != .ended else { return }
        Syscalls.finishWriting(descriptor)
        release()
    }

    private func start() {
        guard state == .opening else { return }
        if let tls {
            tls.start()
            flush()
            settle()
        } else {
            open()
        }
    }

    private func open() {
        state = .open
        if !early.isEmpty {
            early.withUnsafeBytes { write($0) }
            early = []
        }
        handler?.opened(self)
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        if readiness.contains(.readable) { read() }
    }

    // MARK: Reading

    private func read() {
        guard state != .ended else { return }
        switch Syscalls.receive(descriptor, into: Self.wire) {
        case .wouldBlock: return
        case .failed(let code): end(.failed(systemText(code)))
        case .bytes(0): end(tls.flatMap { $0.endOfInput() }.map { .tlsFailed($0) } ?? .byPeer)
        case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: Self.wire[..<count]))
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard let tls else {
            deliver(bytes)
            return
        }
        let count = tls.receive(bytes, into: Self.plain)
        flush()
        if state == .opening, tls.hasOpened { open() }
        if count > 0 { deliver(UnsafeRawBufferPointer(rebasing: Self.plain[..<count])) }
        settle()
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        if state == .opening { open() }
        guard state == .open else { return }
        handler?.received(bytes, on: self)
    }

    /// Ends the connection when its TLS has ended.
    private func settle() {
        switch tls?.state {
        case nil, .handshaking, .open, .closed: return
        case .closedByPeer: end(.byPeer)
        case .failed(let error): end(.tlsFailed(error))
        }
    }

    // MARK: Writing

    private func write(_ bytes: UnsafeRawBufferPointer) {
        if let tls {
            tls.send(bytes)
            flush()
            settle()
            return
        }
        var rest = bytes
        if queue.count == 0, !cannotWrite {
            switch Syscalls.send(descriptor, bytes) {
            case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            case .wouldBlock: break
            case .failed(let code): writeFailed(code)
            }
        }
        guard !rest.isEmpty, !cannotWrite else { return }
        queue.append(rest)
        watchForWriting(true)
    }

    private func flush() {
        if cannotWrite { queue.drop(queue.count) }
        while state != .ended, !cannotWrite, queue.count > 0 {
            switch queue.withBytes({ Syscalls.send(descriptor, $0) }) {
            case .bytes(let count): queue.drop(count)
            case .wouldBlock:
                watchForWriting(true)
                return
            case .failed(let code): writeFailed(code)
            }
        }
        watchForWriting(false)
    }

    /// The peer is gone, but what it said before it went (why it throws us out) may still wait to be read: reading
    /// goes on and meets the end there.
    private func writeFailed(_ code: Int32) {
        guard code == EPIPE || code == ECONNRESET else {
            end(.failed(systemText(code)))
            return
        }
        cannotWrite = true
        queue.drop(queue.count)
    }

    private func watchForWriting(_ wanted: Bool) {
        guard wanted != wantsWrite, let registration else { return }
        do {
            try loop.change(registration, to: wanted ? [.read, .write] : .read)
            wantsWrite = wanted
        } catch {
            end(.failed(error.description))
        }
    }

    // MARK: The end

    private func end(_ end: ConnectionEnd) {
        guard state != .ended else { return }
        release()
        // Told in the next round: the owner may be in the middle of a call to `send`. It may also close until then.
        loop.soon { [self] in
            let handler = handler
            self.handler = nil
            handler?.closed(end, on: self)
        }
    }

    private func release() {
        state = .ended
        if let registration { loop.unwatch(registration) }
        registration = nil
        early = []
        queue.drop(queue.count)
        Syscalls.close(descriptor)
    }
}
