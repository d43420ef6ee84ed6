/// A server's settings, for stand-ins in tests: engines made by one of these know each other's sessions.
package final class TLSServer: Sendable {
    private let context: TLSContext

    /// PEM files, the chain in the first. `newest` may hold clients to TLS 1.2.
    package init(
        certificate: String, key: String, asksForCertificate: Bool = false, newest: TLSVersion = .tls13
    ) throws(TLSError) {
        do throws(TLSError.Reason) {
            context = try TLSContext(
                serverCertificate: certificate, key: key, asksForCertificate: asksForCertificate, newest: newest)
        } catch {
            throw TLSError(host: "server", reason: error)
        }
    }

    package func engine() throws(TLSError) -> TLSEngine {
        do throws(TLSError.Reason) {
            return try TLSEngine(server: context)
        } catch {
            throw TLSError(host: "server", reason: error)
        }
    }
}

package enum TLSVersion: Sendable {
    case tls11, tls12, tls13
}
