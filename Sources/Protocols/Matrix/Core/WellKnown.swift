public import HTTP
import JSON

/// Finds a homeserver by the name in its users' ids ("Well-known URIs").
public enum WellKnown {
    /// Nil for what is no user id.
    public static func request(for userID: String) -> HTTPRequest? {
        host(of: userID).map {
            HTTPRequest(
                .get, "https://\($0)/.well-known/matrix/client", headers: [HTTPHeader("Accept", "application/json")],
                timeout: Homeserver.timeout, maximumBody: 64 << 10, followsRedirects: true)
        }
    }

    /// Nil inside the success: there is no such file, and the name itself is the server's.
    public static func baseURL(_ response: HTTPResponse) -> Result<String?, MatrixError> {
        if response.status == 404 { return .success(nil) }
        return read(response) { (reader) throws(JSONError) -> String?? in
            var base: String?
            while let key = try reader.nextKey() {
                switch key {
                case "m.homeserver":
                    if try reader.beginObjectOrSkip() { base = try reader.texts(of: ["base_url"])[0] }
                default: try reader.skip()
                }
            }
            guard let base, base.hasPrefix("https://"), base.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                return nil
            }
            return base
        }
    }

    /// Where to go without such a file.
    public static func fallback(for userID: String) -> String? {
        host(of: userID).map { "https://" + $0 }
    }

    /// The port in a server's name is for other servers, not for clients.
    private static func host(of userID: String) -> String? {
        guard let server = MatrixID.server(of: userID) else { return nil }
        if server.hasPrefix("[") { return server.firstIndex(of: "]").map { String(server[...$0]) } }
        return server.split(separator: ":").first.map(String.init)
    }
}
