import Files
import Glibc

/// `gifbot init`: asks a few questions and writes a first, commented config. It never writes over a file.
struct InitCommand {
    let config: String?

    func perform() -> Exit {
        let path = config ?? "bot.yaml"
        guard access(path, F_OK) != 0 else {
            return failed("\(path) is there already; gifbot init writes no file over")
        }
        // Before anybody has answered a dozen questions.
        guard access(SettingsFile.folder(of: path), W_OK) == 0 else {
            return failed("can't write \(path): \(systemText(errno))")
        }
        var talk = Questions()
        guard let text = FirstConfig.ask(&talk) else {
            return failed("the answers ended too early; nothing was written")
        }
        do throws(FileError) {
            // It may hold secrets, so nobody else may read it, at any moment; and half a config is worse than none.
            try makeFile(path, of: Array(text.utf8), mode: 0o600)
        } catch {
            return failed("can't write \(path): \(error)")
        }
        return told(path)
    }

    private func told(_ path: String) -> Exit {
        Output.standard.write("Wrote \(path), readable by you alone.\n")
        guard let (_, loaded) = SettingsFile.loadAndTell(named: path) else { return .failed }
        guard loaded.settings != nil else {
            return failed("\(path) needs the changes above before the bot can run")
        }
        Output.standard.write("Next: gifbot check --live, then gifbot run.\n")
        return .asAsked
    }

    private func failed(_ text: String) -> Exit {
        Output.error.write("gifbot: \(text)\n")
        return .failed
    }
}

/// Asks on standard output, reads a line for each answer from standard input.
struct Questions {
    private let read: () -> String?
    private let say: (String) -> Void

    init(
        read: @escaping () -> String? = { readLine(strippingNewline: true) },
        say: @escaping (String) -> Void = { Output.standard.write($0) }
    ) {
        self.read = read
        self.say = say
    }

    /// An empty answer is the default; one that isn't `good` is asked again. Nil at the end of input.
    mutating func ask(_ question: String, default usual: String = "", isGood: (String) -> String? = { _ in nil })
        -> String?
    {
        while true {
            say(usual.isEmpty ? "\(question): " : "\(question) [\(usual)]: ")
            guard let line = read() else { return nil }
            let words = line.split { $0.isWhitespace }.joined(separator: " ")
            let answer = words.isEmpty ? usual : words
            guard let wrong = isGood(answer) else { return answer }
            say("  \(wrong)\n")
        }
    }

    mutating func askYes(_ question: String, default usual: Bool) -> Bool? {
        ask("\(question) (yes or no)", default: usual ? "yes" : "no") { answer in
            ["y", "yes", "n", "no"].contains(answer.lowercased()) ? nil : "yes or no, please"
        }.map { $0.lowercased().hasPrefix("y") }
    }

    /// The exact characters, which a terminal doesn't show.
    mutating func askSecret(_ question: String) -> String? {
        say("\(question): ")
        let terminal = isatty(STDIN_FILENO) != 0
        var before = termios()
        if terminal, tcgetattr(STDIN_FILENO, &before) == 0 {
            var hidden = before
            hidden.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        }
        defer {
            if terminal {
                tcsetattr(STDIN_FILENO, TCSANOW, &before)
                say("\n")
            }
        }
        return read()
    }
}
