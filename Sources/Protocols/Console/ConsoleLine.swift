import Base
import Chat

/// How the console writes and reads what in a chat is told apart by other means.
enum ConsoleLine {
    static let botName = "gifbot"

    /// `<gifbot> text` for an answer, `-gifbot- text` for a notice, as IRC clients show them.
    /// `note`: what became of an earlier line.
    static func text(of reply: Reply, note: String? = nil) -> String {
        let text = (note.map { "(\($0)) " } ?? "") + printable(reply.text)
        return switch (reply.kind, reply.audience) {
        case (.answer, .conversation): "<\(botName)> \(text)"
        case (.notice, .conversation): "-\(botName)- \(text)"
        case (.answer, .asker), (.notice, .asker): "-\(botName)- (only to you) \(text)"
        }
    }

    /// Takes `gifbot:` or `gifbot,` off the front, in any letter case.
    static func withoutAddress(_ line: String) -> (text: String, isAddressed: Bool) {
        let start = line.drop { $0 == " " || $0 == "\t" }
        let name = start.prefix(botName.count)
        let rest = start.dropFirst(botName.count)
        guard name.lowercased() == botName, rest.first == ":" || rest.first == "," else { return (line, false) }
        return (String(rest.dropFirst()), true)
    }
}
