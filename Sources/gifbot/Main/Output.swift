import Glibc

/// Text for a person, unbuffered: what reads the console gets each line as it is said.
enum Output {
    case standard, error

    func write(_ text: String) {
        write(Array(text.utf8))
    }

    func write(_ bytes: [UInt8]) {
        let descriptor = self == .standard ? STDOUT_FILENO : STDERR_FILENO
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A closed or full output must not stop the bot.
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}
