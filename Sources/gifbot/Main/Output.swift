import Files
import Glibc

/// Text for a person, unbuffered: what reads the console gets each line as it is said.
enum Output {
    case standard, error

    func write(_ text: String) {
        write(Array(text.utf8))
    }

    func write(_ bytes: [UInt8]) {
        // A closed or full output must not stop the bot.
        try? writeAll(bytes, to: self == .standard ? STDOUT_FILENO : STDERR_FILENO)
    }
}
