import Files
import Glibc

/// `gifbot-tags.tsv` in the folder: what the names of the files don't say. UTF-8, one file a line: its name below the folder, a
/// tab, its tags with spaces or commas between, and, after another tab, a title if it shall have one. Lines that start with # and
/// empty ones are passed over.
struct SideFile: Equatable {
    static let name = "gifbot-tags.tsv"
    private static let largest = 64 << 20

    struct Entry: Equatable {
        let tags: String
        let title: String?
    }

    private(set) var entries: [String: Entry] = [:]
    private(set) var troubles: [String] = []

    init(folder: String) {
        self.init(text: Self.text(in: folder) ?? "")
    }

    init(text: String) {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard !line.hasPrefix("#"), !line.allSatisfy(\.isWhitespace) else { continue }
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 2 || parts.count == 3, !parts[0].isEmpty else {
                troubles.append("\(Self.name), line \(number + 1): expected a name, a tab, and tags")
                continue
            }
            let title = parts.count == 3 ? parts[2].split(whereSeparator: \.isWhitespace).joined(separator: " ") : ""
            entries[String(parts[0])] = Entry(
                tags: String(parts[1]).replacing(",", with: " "), title: title.isEmpty ? nil : title)
        }
    }

    private static func text(in folder: String) -> String? {
        guard let descriptor = OpenFolder(folder)?.file(name) else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < largest, case let count = read(descriptor, &chunk, chunk.count), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
