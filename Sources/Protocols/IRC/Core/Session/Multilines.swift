/// Messages that come as a batch of several lines (draft/multiline), until they are whole.
struct Multilines: Sendable {
    /// Open ones at a time; one more pushes the oldest out.
    private static let limit = 4
    /// Bytes of one message; what is beyond is left out, as no command is that long.
    private static let byteLimit = 4096

    private struct Open: Sendable {
        let id: String
        let opening: IRCMessage
        var text: String?
        var source: String?
    }

    private var open: [Open] = []

    var isEmpty: Bool { open.isEmpty }

    /// `opening` is the BATCH line, whose tags are the message's.
    mutating func begin(_ id: String, _ opening: IRCMessage) {
        open.removeAll { $0.id == id }
        if open.count == Self.limit { open.removeFirst() }
        open.append(Open(id: id, opening: opening))
    }

    /// False if the line belongs to no such message.
    mutating func add(_ line: IRCMessage, to id: String) -> Bool {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return false }
        let text = line.parameter(1)
        if let begun = open[index].text {
            // Lines are joined by LF unless they are pieces of one.
            let joined = begun + (line.tag("draft/multiline-concat") == nil ? "\n" : "") + text
            if joined.utf8.count <= Self.byteLimit { open[index].text = joined }
        } else {
            open[index].text = text.cut(toBytes: Self.byteLimit)
            open[index].source = line.source
        }
        return true
    }

    /// The whole message; nil if there is none.
    mutating func end(_ id: String) -> IRCMessage? {
        guard let index = open.firstIndex(where: { $0.id == id }) else { return nil }
        let whole = open.remove(at: index)
        guard let text = whole.text else { return nil }
        return IRCMessage(
            "PRIVMSG", [whole.opening.parameter(2), text], source: whole.opening.source ?? whole.source,
            tags: whole.opening.tags)
    }
}
