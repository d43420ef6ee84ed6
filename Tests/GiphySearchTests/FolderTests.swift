import Base
import Foundation
import Images
import TestSupport
import Testing

@testable import GiphySearch

@Loop struct FolderTests {
    private let clock = ManualClock()

    private func search(_ source: FolderSource, _ words: String) async -> [Gif] {
        (try? await source.gifs(for: query(words), by: clock.now.advanced(by: .seconds(10)))) ?? []
    }

    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        folder.write(SmallImage.gif(frames: 3), "Party-Parrot_01.gif")
        folder.write(SmallImage.webP(frames: 2), "sad parrot.webp")
        folder.write(SmallImage.png(frames: 4), "grüße & co.apng")
        folder.write(SmallImage.gif(frames: 1), "still-parrot.gif")
        folder.write(SmallImage.png(frames: nil), "flat-parrot.png")
        folder.write(SmallImage.gif(frames: 3), ".hidden-parrot.gif")
        folder.write(SmallImage.gif(frames: 3), "parrot.txt")
        folder.write(Array("not an image".utf8), "broken-parrot.gif")
        folder.write([], "empty-parrot.gif")
        try FileManager.default.createDirectory(atPath: folder.path + "/parrot.gif", withIntermediateDirectories: false)
        #expect(mkfifo(folder.path + "/pipe-parrot.gif", 0o600) == 0)
        return folder
    }

    @Test func onlyAnimatedFilesWithTheirTrueSizes() async throws {
        let folder = try folder()
        let source = FolderSource(path: folder.path, publicURL: nil, rating: .pg, clock: clock)
        let found = await search(source, "parrot")
        #expect(found.map(\.id) == ["Party-Parrot_01.gif", "sad parrot.webp"])
        #expect(found[0].title == "Party Parrot 01")
        #expect(found[0].rating == .pg)
        #expect(found[0].source == "folder")
        #expect(found[0].renditions[0].width == 5)
        #expect(found[0].renditions[0].height == 4)
        #expect(found[0].renditions[0].byteCount == SmallImage.gif(frames: 3).count)
        #expect(found[1].renditions[0].width == 320)
    }

    @Test(
        "A link that leads out of the folder is no file of it; one inside, and a folder reached by a link, are as good as others"
    )
    func links() async throws {
        let folder = try folder()
        let outside = try TemporaryFolder()
        outside.write(SmallImage.gif(frames: 3), "secret.gif")
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.path + "/out-parrot.gif", withDestinationPath: outside.path + "/secret.gif")
        try files.createSymbolicLink(
            atPath: folder.path + "/same-parrot.gif", withDestinationPath: "Party-Parrot_01.gif")
        try files.createSymbolicLink(atPath: outside.path + "/root", withDestinationPath: folder.path)
        for path in [folder.path, outside.path + "/root"] {
            let source = FolderSource(path: path, publicURL: nil, rating: .g, clock: clock)
            #expect(
                await search(source, "parrot").map(\.id) == [
                    "Party-Parrot_01.gif", "sad parrot.webp", "same-parrot.gif",
                ])
            #expect(source.policy.folder == path)
        }
    }

    @Test func theLinkIsTheFileOrThePublicAddress() async throws {
        let folder = try folder()
        let local = FolderSource(path: folder.path, publicURL: nil, rating: .g, clock: clock)
        #expect(
            await search(local, "grüße").first?.renditions[0].url
                == "file://\(folder.path)/gr%C3%BC%C3%9Fe%20%26%20co.apng")
        for base in ["https://gifs.example.org/x", "https://gifs.example.org/x/"] {
            let shared = FolderSource(path: folder.path, publicURL: base, rating: .g, clock: clock)
            let url = await search(shared, "sad").first?.renditions[0].url
            #expect(url == "https://gifs.example.org/x/sad%20parrot.webp")
        }
    }

    @Test("With an index that can't be read the folder is read as seldom as without one, and the operator is told once")
    func unreadableIndex() async throws {
        final class Unreadable: FolderCatalog {
            func stamp() -> UInt64? { 1 }
            func files(for request: PageRequest, from offset: Int, atMost limit: Int) throws(FolderError)
                -> (files: [FolderFile], isMore: Bool)
            { throw FolderError(reason: "file is not a database") }
        }
        let folder = try folder()
        let log = RecordingLog()
        let source = FolderSource(
            path: folder.path, publicURL: nil, rating: .g, clock: clock, log: Log("search", to: log)
        ) { _ in Unreadable() }
        #expect(await search(source, "parrot").count == 2)
        folder.write(SmallImage.gif(frames: 3), "new parrot.gif")
        #expect(await search(source, "parrot").count == 2)
        clock.advance(by: .seconds(6))
        #expect(await search(source, "parrot").count == 3)
        #expect(log.lines.count == 1 && log.lines[0].hasSuffix("reason=file is not a database"), "\(log.lines)")
    }

    @Test(
        "Names that lead out of the folder, or to what is hidden in it",
        arguments: [
            ("a.gif", true), ("a/b c.gif", true), ("a/b..", true), ("a/..b", false), ("..", false), ("../a.gif", false),
            ("a/../../b.gif", false), ("/etc/a.gif", false), ("a//b.gif", false), ("a/./b.gif", false),
            (".a.gif", false), ("a/.b/c.gif", false), ("a/", false), ("", false), ("a/\u{301}/../b.gif", false),
            ("a/\u{301}b.gif", true),
        ])
    func names(name: String, isBelow: Bool) {
        #expect(FolderFile.isBelowFolder(name) == isBelow)
    }

    @Test func moreWordsCountMore() async throws {
        let folder = try folder()
        let source = FolderSource(path: folder.path, publicURL: nil, rating: .g, clock: clock)
        #expect(await search(source, "sad parrot").map(\.id) == ["sad parrot.webp", "Party-Parrot_01.gif"])
        #expect(await search(source, "parrots").count == 2)
        #expect(await search(source, "parr").count == 2)
        #expect(await search(source, "parties").isEmpty)
        #expect(await search(source, "owl").isEmpty)
        #expect(await search(source, "gif").isEmpty)
    }

    @Test func whatChangesIsFoundAfterAWhile() async throws {
        let folder = try folder()
        let source = FolderSource(path: folder.path, publicURL: nil, rating: .g, clock: clock)
        #expect(await search(source, "owl").isEmpty)
        let first = source.generation
        folder.write(SmallImage.gif(frames: 2), "owl.gif")
        clock.advance(by: .seconds(6))
        #expect(await search(source, "owl").map(\.id) == ["owl.gif"])
        #expect(source.generation > first)
        let second = source.generation
        try FileManager.default.removeItem(atPath: folder.path + "/owl.gif")
        clock.advance(by: .seconds(6))
        #expect(await search(source, "owl").isEmpty)
        #expect(source.generation > second)
        let third = source.generation
        clock.advance(by: .seconds(6))
        _ = await search(source, "owl")
        #expect(source.generation == third)
    }

    @Test func aCachedPageDoesntHideANewFileForADay() async throws {
        let folder = try folder()
        let source = FolderSource(path: folder.path, publicURL: nil, rating: .g, clock: clock)
        let service = SearchService(
            sources: [source], cacheEntries: 10, clock: clock, log: Log("search", to: RecordingLog()))
        _ = await service.page(for: query("parrot"))
        #expect(service.held(query("parrot"))?.gifs.count == 2)
        folder.write(SmallImage.gif(frames: 2), "new-parrot.gif")
        clock.advance(by: .seconds(31))
        #expect(service.held(query("parrot"))?.gifs.count == 2)
        #expect(await eventually { service.held(query("parrot")) == nil })
        let page = try await service.page(for: query("parrot")).get()
        #expect(page.gifs.count == 3)
    }

    @Test func aFolderThatIsntThereIsAFailureWithAReason() async {
        let source = FolderSource(path: "/nonexistent/gifs", publicURL: nil, rating: .g, clock: clock)
        await #expect(throws: SourceFailure.unavailable("can't read the folder: No such file or directory")) {
            try await source.gifs(for: query("owl"), by: clock.now)
        }
    }

    // MARK: Samples

    @Test func samplesAreAnimatedSmallAndNamedForWhatPeopleAskFor() {
        var total = 0
        #expect(SampleFiles.names.count >= 12)
        for (place, name) in SampleFiles.names.enumerated() {
            let bytes = Array(SampleFiles.bytes(of: place))
            total += bytes.count
            let header = ImageHeader.parse(bytes)
            #expect(header?.format == .gif && header?.isAnimated == true, "\(name)")
            #expect((240...480).contains(header?.width ?? 0) && (135...270).contains(header?.height ?? 0), "\(name)")
            #expect(bytes.last == 0x3B)
        }
        #expect(total <= 400_000)
    }

    @Test(arguments: [
        "party", "cat", "hello", "yes", "no", "wow", "thanks", "dance", "happy", "love", "dog", "party parrot",
    ])
    func samplesAnswer(words: String) async throws {
        let folder = try TemporaryFolder()
        let source = FolderSource.samples(in: folder.path + "/state/samples", publicURL: nil, rating: .g, clock: clock)
        let found = await search(source, words)
        #expect(!found.isEmpty)
        for gif in found {
            let path = try #require(URL(string: gif.renditions[0].url)?.path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == gif.renditions[0].byteCount)
        }
        #expect(await search(source, "qwertyuiop").isEmpty)
    }

    @Test func samplesThatAreThereAreLeftAndDamagedOnesReplaced() async throws {
        let folder = try TemporaryFolder()
        try SampleFiles.write(to: folder.path)
        let name = try #require(SampleFiles.names.first)
        folder.write([1, 2, 3], name)
        try SampleFiles.write(to: folder.path)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.sorted() == SampleFiles.names.sorted())
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)) == Data(SampleFiles.bytes(of: 0)))
    }

    @Test func samplesThatCantBeWrittenAreAFailure() async throws {
        let folder = try TemporaryFolder()
        folder.write([1], "state")
        let source = FolderSource.samples(in: folder.path + "/state/samples", publicURL: nil, rating: .g, clock: clock)
        await #expect(throws: SourceFailure.self) { try await source.gifs(for: query("party"), by: clock.now) }
    }
}
