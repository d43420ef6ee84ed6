public import HTTP

/// The content repository. Uploads and the old form of its settings have their own place beside the client API.
extension Homeserver {
    /// Since v1.11; needs a token.
    public func mediaSettings() -> HTTPRequest {
        request(.get, "/v1/media/config")
    }

    /// Before v1.11.
    public func oldMediaSettings() -> HTTPRequest {
        media(.get, "/config")
    }

    /// Nil for a file without a name: an encrypted one.
    public func upload(
        _ bytes: [UInt8], mediaType: String, fileName: String?, timeout: Duration
    ) -> HTTPRequest {
        var upload = media(
            .post, "/upload" + (fileName.map { "?" + queryString([(name: "filename", value: $0)]) } ?? ""))
        upload.headers.append(HTTPHeader("Content-Type", mediaType))
        upload.body = bytes
        upload.timeout = timeout
        return upload
    }

    private func media(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        var media = request(method, "")
        media.url = baseURL + "/_matrix/media/v3" + path
        return media
    }
}
