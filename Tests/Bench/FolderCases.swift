import Base
import FolderIndexing
import GiphySearch
import Glibc

/// A folder of 100,000 files: how long indexing it takes beside reading their beginnings by `head`, and how long a search does.
enum FolderCases {
    private static let files = 100_000
    /// Some thousand words, of which the first are met most often.
    private static let words: [String] = {
        let parts = ["pa", "ri", "to", "mu", "ka", "le", "so", "ne", "bi", "du", "fo", "ge", "ha", "jo", "vi", "wa"]
        return (0..<3000).map { parts[$0 % 16] + parts[$0 / 16 % 16] + parts[$0 / 256 % 16] }
    }()

    private static func word(_ seed: Int) -> String {
        let one = (seed &* 2_654_435_761) >> 7 & 0xFFFF
        let other = (seed &* 40_503) >> 3 & 0xFFFF
        return words[one * other / 0x10000 * words.count / 0x10000]
    }

    static func run(_ measure: Measure) {
        let name = "folder: index 100,000 files"
        guard measure.includes(name) else { return }
        let folder = "/tmp/gifbot-bench-\(getpid())"
        defer { shell("rm -rf \(folder)") }
        make(folder)
        let read = (0..<3).map { _ in time { shell("find \(folder) -type f -exec head -c 65536 {} + > /dev/null") } }
            .sorted()[1]
        guard let place = IndexPlace(folder: folder, stateFolder: nil) else { return }
        let indexed = (0..<3).map { _ in
            shell("rm -f \(folder)/.gifbot-index.sqlite")
            return time { use(try? FolderIndexer(place).run()) }
        }.sorted()[1]
        let again = time { use(try? FolderIndexer(place).run()) }
        report(
            name, indexed,
            ", \"head\":\(read.microseconds), \"times\":\(ratio(indexed, read)), \"again\":\(again.microseconds)")
        search(place)
    }

    private static func search(_ place: IndexPlace) {
        let catalog = SQLiteCatalog(place)
        var times: [Duration] = []
        for index in 0..<600 {
            let text = (0...(index % 3)).map { word(index * 31 + $0 * 7) }.joined(separator: " ")
            let request = PageRequest(SearchQuery(words: text, rating: .g, language: "en", kind: .gif))
            times.append(time { use(try? catalog.files(for: request, from: 0, atMost: 25)) })
        }
        times.sort()
        report(
            "folder: search among 100,000 files, the median", times[times.count / 2],
            ", \"99th\":\(times[times.count * 99 / 100].microseconds)")
    }

    private static func make(_ folder: String) {
        mkdir(folder, 0o700)
        for sub in 0..<100 { mkdir("\(folder)/\(word(sub)) \(sub)", 0o700) }
        var bytes = Array("GIF89a".utf8) + [5, 0, 4, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for _ in 0..<60 { bytes += [0x2C, 0, 0, 0, 0, 5, 0, 4, 0, 0, 2, 2, 0x4C, 1, 0] }
        bytes.append(0x3B)
        for number in 0..<files {
            let sub = number % 100
            let name = (1...3).map { word(number * 3 + $0) }.joined(separator: "-")
            let path = "\(folder)/\(word(sub)) \(sub)/\(name)-\(number).gif"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            _ = write(descriptor, bytes, bytes.count)
            close(descriptor)
        }
    }

    private static func shell(_ line: String) { use(system(line)) }

    private static func time(_ body: () -> Void) -> Duration {
        let start = ContinuousClock.now
        body()
        return start.duration(to: .now)
    }

    private static func ratio(_ one: Duration, _ other: Duration) -> Double {
        (Double(one.microseconds) / Double(max(1, other.microseconds)) * 100).rounded() / 100
    }

    private static func report(_ name: String, _ time: Duration, _ more: String) {
        print("{\"case\":\"\(name)\",\"us\":\(time.microseconds)\(more)}")
        fflush(nil)
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
