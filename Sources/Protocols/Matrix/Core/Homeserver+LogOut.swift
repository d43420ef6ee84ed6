public import HTTP
import JSON

extension Homeserver {
    /// Ends the session and removes its device.
    public func logOut() -> HTTPRequest {
        request(.post, "/v3/logout", body: [:])
    }
}
