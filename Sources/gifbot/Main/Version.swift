/// What `gifbot version`, CTCP VERSION and the user agent say.
enum Version {
    static let number = "0.1.0"
    static let source = "https://github.com/gifbot/gifbot"
    static let line = "gifbot \(number)"
    static let userAgent = "gifbot/\(number)"
}
