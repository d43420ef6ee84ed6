import JSON

/// The content that an edit brings ("Event replacements"): a message's, of which only the text is read.
public struct NewContent: Equatable, Sendable {
    public var messageType: String?
    public var body: String?
    public var format: String?
    public var formattedBody: String?
    public var mentions: [String] = []

    public init() {}

    static func read(_ reader: inout JSONReader) throws(JSONError) -> NewContent? {
        guard try reader.beginObjectOrSkip() else { return nil }
        var content = NewContent()
        while let key = try reader.nextKey() {
            switch key {
            case "msgtype": content.messageType = try reader.stringOrSkip()
            case "body": content.body = try reader.stringOrSkip()
            case "format": content.format = try reader.stringOrSkip()
            case "formatted_body": content.formattedBody = try reader.stringOrSkip()
            case "m.mentions": content.mentions = try EventContent.mentions(&reader)
            default: try reader.skip()
            }
        }
        return content
    }
}
