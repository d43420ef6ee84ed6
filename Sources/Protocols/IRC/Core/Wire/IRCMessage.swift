/// One line of IRC: tags, source, command and parameters, as the message format of modern.ircdocs.horse has them.
///
/// Texts are decoded one by one, so that a single Latin-1 word spoils nothing around it.
public struct IRCMessage: Equatable, Sendable {
    public struct Tag: Equatable, Sendable {
        public var name: String
        /// Unescaped; empty for a tag without a value.
        public var value: String

        public init(_ name: String, _ value: String = "") {
            self.name = name
            self.value = value
        }
    }

    /// Each name once: where a line repeats one, the last value is here.
    public var tags: [Tag]
    /// Who sent it, undivided; nil where the line had none.
    public var source: String?
    /// As it was written; compared without letter case.
    public var command: String
    public var parameters: [String]

    public init(_ command: String, _ parameters: [String] = [], source: String? = nil, tags: [Tag] = []) {
        self.tags = tags
        self.source = source
        self.command = command
        self.parameters = parameters
    }

    /// The value of a tag; nil if the line doesn't carry it.
    public func tag(_ name: String) -> String? {
        tags.first { $0.name == name }?.value
    }

    /// The sender's services account; nil without one. A tag without a value is as good as none (message-tags).
    var account: String? {
        tag("account").flatMap { $0.isEmpty || $0 == "*" ? nil : $0 }
    }

    /// The server's id of the message.
    var id: String? {
        tag("msgid").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A parameter, or the empty text where the line is too short.
    func parameter(_ index: Int) -> String {
        index < parameters.count ? parameters[index] : ""
    }
}
