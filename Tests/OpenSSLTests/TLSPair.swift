import OpenSSL
import TestSupport

extension TLSEngine {
    /// One call of `receive`, as arrays.
    func take(_ bytes: [UInt8]) -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: bytes.count + Self.heldBack)
        let count = bytes.withUnsafeBytes { bytes in plain.withUnsafeMutableBytes { receive(bytes, into: $0) } }
        return Array(plain[..<count])
    }

    func send(_ text: String) {
        Array(text.utf8).withUnsafeBytes { send($0) }
    }

    var error: TLSError? {
        if case .failed(let error) = state { return error }
        return nil
    }
}

/// A client and a server joined in memory.
struct TLSPair {
    let client: TLSEngine
    let server: TLSEngine

    init(
        _ settings: TLSSettings, host: String = "irc.example.test",
        server identity: TestCertificates.Identity = TestCertificates.shared.good, asks: Bool = false
    ) throws {
        client = try TLSEngine(settings, host: host)
        server = try TLSEngine(
            serverCertificate: identity.certificate, key: identity.key, asksForCertificate: asks)
    }

    init(client: TLSEngine, server: TLSEngine) {
        self.client = client
        self.server = server
    }

    /// Carries bytes both ways, in pieces of `size`, until both are silent. Returns what each side was told.
    @discardableResult
    func exchange(size: Int = .max) -> (toClient: [UInt8], toServer: [UInt8]) {
        client.start()
        var toClient: [UInt8] = []
        var toServer: [UInt8] = []
        while client.output.count + server.output.count > 0 {
            toServer += carry(client, server, size)
            toClient += carry(server, client, size)
        }
        return (toClient, toServer)
    }

    private func carry(_ from: TLSEngine, _ to: TLSEngine, _ size: Int) -> [UInt8] {
        var rest = from.output.take()[...]
        var plain: [UInt8] = []
        while !rest.isEmpty {
            plain += to.take(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return plain
    }
}
