import Base
import Glibc
import Net
import OpenSSL
import TestSupport

/// A verified TLS connection over loopback between a story's session and its scripted server. What one side sends is handed
/// on as it arrives at the other.
@Loop final class TLSWire {
    private let client = Side()
    private let server = Side()
    private let listener: LoopbackServer

    /// Returns once both sides have finished the handshake.
    static func open() async throws -> TLSWire {
        let wire = TLSWire()
        try await wire.connect()
        return wire
    }

    private init() {
        let server = server
        listener = LoopbackServer { peer in
            // The connection owns its descriptor, and the peer closes its own.
            let descriptor = dup(peer.descriptor)
            Loop.post { server.accepted(descriptor) }
        }
    }

    private func connect() async throws {
        let settings = TLSSettings(caFile: TestCertificates.shared.authority)
        let engine = try TLSEngine(settings, host: "irc.example.test")
        try client.connect(LoopbackServer.connect(to: listener.port), engine)
        await client.wait { $0.isOpen }
        await server.wait { $0.isOpen }
    }

    /// In two records, cut in the middle, so that lines and letters come in pieces.
    func toClient(_ bytes: [UInt8]) async -> [[UInt8]] {
        let middle = bytes.count / 2
        server.send(Array(bytes[..<middle]))
        server.send(Array(bytes[middle...]))
        return await client.taken(bytes.count)
    }

    func toServer(_ bytes: [UInt8]) async -> [UInt8] {
        client.send(bytes)
        return await server.taken(bytes.count).flatMap { $0 }
    }

    func close() {
        client.close()
        server.close()
        listener.stop()
    }
}

/// One end of the connection, on the loop as the bot's own is.
@Loop private final class Side: ByteConnectionHandler {
    private(set) var isOpen = false
    private(set) var isClosed = false
    private var arrived: [[UInt8]] = []
    private var connection: ByteConnection?
    private var waiter: (isMet: (Side) -> Bool, continuation: CheckedContinuation<Void, Never>)?

    nonisolated init() {}

    func accepted(_ descriptor: Int32) {
        let identity = TestCertificates.shared.good
        guard let engine = try? TLSEngine(serverCertificate: identity.certificate, key: identity.key) else { return }
        try? connect(descriptor, engine)
    }

    func connect(_ descriptor: Int32, _ engine: TLSEngine) throws {
        connection = try ByteConnection(descriptor: descriptor, tls: engine, loop: TestLoop.shared, handler: self)
    }

    func send(_ bytes: [UInt8]) {
        if !bytes.isEmpty { connection?.send(bytes) }
    }

    func taken(_ count: Int) async -> [[UInt8]] {
        await wait { side in side.isClosed || side.arrived.reduce(0) { $0 + $1.count } >= count }
        let all = arrived
        arrived = []
        return all
    }

    func wait(until isMet: @escaping (Side) -> Bool) async {
        if isMet(self) { return }
        await withCheckedContinuation { waiter = (isMet, $0) }
    }

    func close() {
        connection?.close()
        connection = nil
    }

    func opened(_ connection: ByteConnection) {
        isOpen = true
        happened()
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: ByteConnection) {
        arrived.append(Array(bytes))
        happened()
    }

    func closed(_ end: ConnectionEnd, on connection: ByteConnection) {
        isClosed = true
        happened()
    }

    private func happened() {
        guard let waiter, waiter.isMet(self) || isClosed else { return }
        self.waiter = nil
        waiter.continuation.resume()
    }
}
