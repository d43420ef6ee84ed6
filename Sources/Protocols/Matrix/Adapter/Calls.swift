import HTTP
import Matrix

/// Sends a request and has its answer decoded on the client's own thread.
struct Calls: Sendable {
    let http: any HTTPClient

    func callAsFunction<Output: Sendable>(
        _ request: HTTPRequest, _ decode: @escaping @Sendable (HTTPResponse) -> Result<Output, MatrixError>
    ) async -> Result<Output, MatrixError> {
        do throws(HTTPError) {
            return try await http.send(request, decode: decode)
        } catch {
            return .failure(.transport(error))
        }
    }
}
