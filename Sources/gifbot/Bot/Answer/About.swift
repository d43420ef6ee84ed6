/// What `about` tells, beside the command words.
public struct About: Equatable, Sendable {
    public let version: String
    public let sourceURL: String
    /// What each source in use wants named, such as `Powered by GIPHY`.
    public let credits: [String]

    public init(version: String, sourceURL: String, credits: [String]) {
        self.version = version
        self.sourceURL = sourceURL
        self.credits = credits
    }
}
