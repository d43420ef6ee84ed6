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
        do throws(FileError) {
            let bytes = try OpenFolder(folder).file(Self.name).bytes(atMost: Self.largest)
            self.init(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            self.init(text: "")
            if error != .system(code: ENOENT) { troubles.append("\(Self.name): \(error)") }
        }
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
}
