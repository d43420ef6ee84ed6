import Base
import Foundation
import GiphySearch
import TestSupport
import Testing

@testable import FolderIndexing

/// A folder of files for the time of a test.
struct Collection {
    private let folder: TemporaryFolder
    var path: String { folder.path + "/gifs" }
    var state: String { folder.path + "/state" }

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Some pixels, and as many frames as are asked for.
    static func gif(frames: Int, width: UInt8 = 5) -> Data {
        var bytes = Array("GIF89a".utf8) + [width, 0, 4, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        for _ in 0..<frames { bytes += [0x2C, 0, 0, 0, 0, width, 0, 4, 0, 0, 2, 2, 0x4C, 1, 0] }
        return Data(bytes + [0x3B])
    }

    func write(_ name: String, _ data: Data = Collection.gif(frames: 2)) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    func place() throws -> IndexPlace { try #require(IndexPlace(folder: path, stateFolder: state)) }
    func index() throws -> FolderIndexer.Outcome { try FolderIndexer(place()).run() }

    func search(_ words: String, from offset: Int = 0, atMost limit: Int = 25) throws -> [String] {
        let query = SearchQuery(words: words, rating: .g, language: "en", kind: .gif)
        return try SQLiteCatalog(place()).files(for: PageRequest(query), from: offset, atMost: limit).files.map(\.name)
    }
}

struct IndexTests {
    @Test("Moving pictures are found, the rest is left out, and what is damaged is named")
    func outcome() throws {
        let gifs = try Collection()
        try gifs.write("Party-Parrot_01.gif")
        try gifs.write("birds/sad parrot.gif")
        try gifs.write("still-parrot.gif", Collection.gif(frames: 1))
        try gifs.write("broken-parrot.gif", Data("no picture".utf8))
        try gifs.write("parrot.txt")
        try gifs.write(".hidden.gif")
        let outcome = try gifs.index()
        #expect(outcome.animated == 2)
        #expect(outcome.still == 1)
        #expect(outcome.opened == 4)
        #expect(outcome.troubles == ["broken-parrot.gif: no picture that gifbot can read"])
        #expect(outcome.path.hasSuffix("/gifs/.gifbot-index.sqlite"))
        #expect(try gifs.search("parrot") == ["Party-Parrot_01.gif", "birds/sad parrot.gif"])
        #expect(try gifs.search("birds") == ["birds/sad parrot.gif"])
    }

    @Test("An index that came with the folder names nothing outside of it")
    func outside() throws {
        let gifs = try Collection()
        try gifs.write("one/two/three/parrot.gif")
        try gifs.write("sad parrot.gif")
        let url = URL(fileURLWithPath: try gifs.index().path)
        var bytes = try Data(contentsOf: url)
        let (real, written) = (Data("one/two/three/parrot.gif".utf8), Data("../../state/x/parrot.gif".utf8))
        while let place = bytes.range(of: real) { bytes.replaceSubrange(place, with: written) }
        try bytes.write(to: url)
        #expect(try gifs.search("parrot") == ["sad parrot.gif"])
    }

    @Test("A second run opens what changed, forgets what is gone, and leaves an index without changes alone")
    func incremental() throws {
        let gifs = try Collection()
        for number in 0..<30 { try gifs.write("cat \(number).gif") }
        try gifs.write("still.gif", Collection.gif(frames: 1))
        #expect(try gifs.index().opened == 31)
        let before = try SQLiteCatalog(gifs.place()).stamp()
        var again = try gifs.index()
        #expect(again.opened == 0)
        #expect(again.still == 1)
        #expect(try SQLiteCatalog(gifs.place()).stamp() == before)
        try gifs.write("cat 3.gif", Collection.gif(frames: 3, width: 9))
        try gifs.write("dog.gif")
        try FileManager.default.removeItem(atPath: gifs.path + "/cat 7.gif")
        again = try gifs.index()
        #expect(again.opened == 2)
        #expect(again.forgotten == 1)
        #expect(again.animated == 30)
        #expect(try gifs.search("dog") == ["dog.gif"])
        #expect(try gifs.search("cat 7").contains("cat 7.gif") == false)
        #expect(try SQLiteCatalog(gifs.place()).stamp() != before)
    }

    @Test("The side file gives tags and titles; its bad lines are named")
    func sideFile() throws {
        let gifs = try Collection()
        try gifs.write("img_001.gif")
        try gifs.write("img_002.gif")
        try gifs.write("gifbot-tags.tsv", Data("# ours\nimg_001.gif\tparty,dance\tThe  big party\nno tab\n\n".utf8))
        let outcome = try gifs.index()
        #expect(outcome.troubles == ["gifbot-tags.tsv, line 3: expected a name, a tab, and tags"])
        #expect(try gifs.search("dance") == ["img_001.gif"])
        let query = SearchQuery(words: "dance", rating: .g, language: "en", kind: .gif)
        let found = try SQLiteCatalog(gifs.place()).files(for: PageRequest(query), from: 0, atMost: 5)
        #expect(found.files.first?.title == "The big party")
        // Tags change without the files.
        try gifs.write("gifbot-tags.tsv", Data("img_002.gif\tdance\n".utf8))
        #expect(try gifs.index().opened == 0)
        #expect(try gifs.search("dance") == ["img_002.gif"])
    }

    @Test("A side file that can't be read whole is told and passed over, not read in part")
    func unreadableSideFile() throws {
        let gifs = try Collection()
        try gifs.write("img_001.gif")
        try gifs.write("gifbot-tags.tsv/x", Data())
        #expect(try gifs.index().troubles == ["gifbot-tags.tsv: Is a directory"])
        let file = gifs.path + "/gifbot-tags.tsv"
        try FileManager.default.removeItem(atPath: file)
        try gifs.write("gifbot-tags.tsv", Data("img_001.gif\tdance\n".utf8))
        // A hole of that size takes no room on disk.
        #expect(truncate(file, 65 << 20) == 0)
        #expect(try gifs.index().troubles == ["gifbot-tags.tsv: larger than 67108864 bytes"])
        #expect(try gifs.search("dance").isEmpty)
    }

    @Test("Names count above tags, all words above some, a whole word above a beginning; equal ones keep their order")
    func rank() throws {
        let gifs = try Collection()
        for name in ["cat.gif", "category.gif", "cat/dog.gif", "cat sleepy dog.gif", "b owl.gif", "a owl.gif"] {
            try gifs.write(name)
        }
        _ = try gifs.index()
        #expect(try gifs.search("owl") == ["a owl.gif", "b owl.gif"])
        let cats = try gifs.search("cat")
        #expect(cats.first == "cat.gif")
        #expect(cats.count == 4)
        #expect(try gifs.search("cats").contains("cat.gif"))
        #expect(try gifs.search("sleepy owl").first != nil)
        #expect(try Set(gifs.search("cat dog").prefix(2)) == ["cat sleepy dog.gif", "cat/dog.gif"])
        // Pages don't overlap, and together they are the whole.
        let all = try gifs.search("cat owl")
        let pages = try (0..<3).flatMap { try gifs.search("cat owl", from: $0 * 2, atMost: 2) }
        #expect(Array(all.prefix(6)) == pages)
        #expect(Set(all).count == all.count)
    }

    @Test(
        "People's words are never operators",
        arguments: [
            "\"", "a\" OR \"b", "NOT", "name : x", "*", "(", "NEAR(a b)", "- -", "'; DROP TABLE files", "^a", "{a}",
        ])
    func injection(words: String) throws {
        let gifs = try Collection()
        try gifs.write("owl.gif")
        _ = try gifs.index()
        _ = try? gifs.search(words)
        #expect(try gifs.search("owl") == ["owl.gif"])
        if let term = SQLiteCatalog.term(words[...]) { #expect(term.count { $0 == "\"" } % 2 == 0) }
    }

    @Test("A broken index is made anew, and no other file is touched")
    func broken() throws {
        let gifs = try Collection()
        try gifs.write("owl.gif")
        try gifs.write(".gifbot-index.sqlite", Data("not a database".utf8))
        #expect(throws: (any Error).self) { try gifs.search("owl") }
        #expect(try gifs.index().opened == 1)
        #expect(try gifs.search("owl") == ["owl.gif"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: gifs.path).sorted() == [
                ".gifbot-index.sqlite", "owl.gif",
            ])
    }

    @Test("Progress reaches the number of files")
    func progress() throws {
        let gifs = try Collection()
        for number in 0..<1200 { try gifs.write("\(number).gif", Data([0])) }
        let most = Most()
        let outcome = try FolderIndexer(gifs.place()).run { done, all in most.take(done * 10_000 + all) }
        #expect(most.value == 1200 * 10_000 + 1200)
        #expect(outcome.troubles.count == 1200)
    }
}

private final class Most: @unchecked Sendable {
    // Guarded by the lock.
    private let lock = NSLock()
    private var most = 0

    func take(_ number: Int) { lock.withLock { most = max(most, number) } }
    var value: Int { lock.withLock { most } }

    @Test("Of a link that leads out of the folder nothing is read: neither a picture, nor the tags, nor the index")
    func linksOut() throws {
        let gifs = try Collection()
        let outside = try Collection()
        try outside.write("secret.gif")
        try outside.write("gifbot-tags.tsv", Data("parrot.gif\tsecret\n".utf8))
        try gifs.write("parrot.gif")
        try gifs.write("birds/owl.gif")
        let files = FileManager.default
        for (name, target) in [
            ("out.gif", outside.path + "/secret.gif"), ("gifbot-tags.tsv", outside.path + "/gifbot-tags.tsv"),
            ("inside.gif", "birds/owl.gif"),
        ] { try files.createSymbolicLink(atPath: gifs.path + "/" + name, withDestinationPath: target) }
        let outcome = try gifs.index()
        #expect(outcome.animated == 3)
        #expect(outcome.troubles.map { $0.prefix { $0 != ":" } } == ["out.gif"])
        #expect(try gifs.search("secret").isEmpty && gifs.search("out").isEmpty)
        #expect(try gifs.search("inside") == ["inside.gif"])
        // An index from elsewhere is none.
        let index = gifs.path + "/.gifbot-index.sqlite"
        _ = try outside.index()
        try files.removeItem(atPath: index)
        try files.createSymbolicLink(
            atPath: index, withDestinationPath: outside.path + "/.gifbot-index.sqlite")
        #expect(try SQLiteCatalog(gifs.place()).stamp() == nil)
    }
}
