import OpenSSL

/// The server's side of TLS on a loopback connection, with blocking calls.
public final class TLSPeer {
    private let peer: LoopbackPeer
    private let engine: TLSEngine

    public init(_ peer: LoopbackPeer, _ identity: TestCertificates.Identity) throws {
        self.peer = peer
        engine = try TLSEngine(serverCertificate: identity.certificate, key: identity.key)
    }

    /// What has come; empty at the end.
    public func read() -> [UInt8] {
        while true {
            let wire = peer.read()
            if wire.isEmpty { return [] }
            var plain = [UInt8](repeating: 0, count: wire.count + TLSEngine.heldBack)
            let count = wire.withUnsafeBytes { wire in
                plain.withUnsafeMutableBytes { engine.receive(wire, into: $0) }
            }
            peer.write(engine.output.take())
            if count > 0 { return Array(plain[..<count]) }
            if engine.state == .closedByPeer { return [] }
        }
    }

    public func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { engine.send($0) }
        peer.write(engine.output.take())
    }

    public func sayGoodbye() {
        engine.close()
        peer.write(engine.output.take())
    }

    /// Sends back all that comes until the end.
    public func echo() {
        while true {
            let bytes = read()
            if bytes.isEmpty { return }
            write(bytes)
        }
    }
}
