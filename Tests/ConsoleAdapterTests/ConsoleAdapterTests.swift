import Base
import Chat
import ConsoleAdapter
import Testing

@Loop private final class Recorder: ChatHandler {
    var changes: [ChatChange] = []
    var messages: [ChatMessage] = []
    var reply: Reply?

    func changed(_ change: ChatChange, from adapter: any ChatAdapter) { changes.append(change) }

    func received(_ message: ChatMessage, from adapter: any ChatAdapter) {
        messages.append(message)
        if let reply { _ = adapter.send(reply, to: message) }
    }
}

@Loop private final class Screen {
    var lines: [String] = []
}

@Loop @Suite struct ConsoleAdapterTests {
    private let handler = Recorder()
    private let screen = Screen()

    private func console(isAdmin: Bool = false) -> ConsoleAdapter {
        let screen = screen
        return ConsoleAdapter(
            network: "console", channel: "#console", user: "ada", isAdmin: isAdmin, handler: handler
        ) { screen.lines.append($0) }
    }

    private func shown(_ reply: Reply) -> [String] {
        handler.reply = reply
        console().received(line: "!gif party")
        return screen.lines
    }

    @Test("A line is a message in the channel")
    func message() {
        console(isAdmin: true).received(line: "!gif party")
        let message = handler.messages.first
        #expect(message?.text == "!gif party")
        #expect(message?.conversation == Conversation(network: "console", name: "#console", isDirect: false))
        #expect(message?.sender == Sender(identity: .userID("ada"), name: "ada", isAdmin: true, isOperator: true))
        #expect(message?.isAddressed == false && message?.id == nil && message?.age == .zero)
    }

    @Test(
        "Addressed by name",
        arguments: [
            ("gifbot: gif party", " gif party", true), ("GifBot, gif party", " gif party", true),
            (" gifbot:gif party", "gif party", true), ("gifbot gif party", "gifbot gif party", false),
            ("gifbots: gif", "gifbots: gif", false), ("gifbot", "gifbot", false), ("", "", false),
        ])
    func address(line: String, text: String, isAddressed: Bool) {
        console().received(line: line)
        #expect(handler.messages.map(\.text) == [text])
        #expect(handler.messages.map(\.isAddressed) == [isAddressed])
    }

    @Test("Answers and notices look like those of an IRC client")
    func output() {
        #expect(
            shown(Reply(kind: .answer, audience: .conversation, text: "a https://x.example", url: "https://x.example"))
                == ["<gifbot> a https://x.example"])
        #expect(
            shown(Reply(kind: .notice, audience: .conversation, text: "no", url: nil)).last == "-gifbot- no")
        #expect(
            shown(Reply(kind: .notice, audience: .asker, text: "no", url: nil)).last == "-gifbot- (only to you) no")
    }

    @Test("What was said is changed and taken back in words; what isn't known any more is refused")
    func changes() {
        let console = console()
        console.received(line: "!gif party")
        let message = handler.messages[0]
        let id = AnswerID("~1")
        func answer(_ text: String) -> Reply {
            Reply(kind: .answer, audience: .conversation, text: text, url: nil, id: id)
        }
        #expect(console.send(answer("a"), to: message) == .accepted)
        #expect(console.revise(answer("b"), to: message) == .accepted)
        #expect(console.retract(id, for: message) == .accepted)
        #expect(screen.lines == ["<gifbot> a", "<gifbot> (changed) b", "-gifbot- (taken back) b"])
        #expect(console.retract(id, for: message) != .accepted)
        #expect(console.revise(answer("c"), to: message) != .accepted)
        #expect(screen.lines.count == 3)
    }

    @Test("A line waits for the command before it")
    func order() {
        let console = console()
        console.received(line: "!gif party")
        console.began(handler.messages[0])
        for line in ["!gif next", "!gif list"] { console.received(line: line) }
        #expect(handler.messages.count == 1)
        console.finished(handler.messages[0])
        #expect(handler.messages.map(\.text) == ["!gif party", "!gif next", "!gif list"])
    }

    @Test("BUG-07: a title can't command the terminal")
    func controls() {
        let text = "a\u{1B}[2J\r\nb\u{9B}31m\u{7F}c\u{202E}d\u{2028}e"
        #expect(
            shown(Reply(kind: .answer, audience: .conversation, text: text, url: nil)) == ["<gifbot> a[2Jb31mcde"])
    }

    @Test("After the stop nothing goes in or out")
    func stopped() async {
        let console = console()
        console.received(line: "!gif party")
        let message = handler.messages[0]
        await console.stop(by: .now)
        console.received(line: "!gif party")
        #expect(handler.messages.count == 1)
        #expect(
            console.send(Reply(kind: .notice, audience: .conversation, text: "late", url: nil), to: message)
                == .refused("the console is closed"))
        #expect(screen.lines.isEmpty)
    }
}
