import Base
import Bot
import Chat
import Foundation
import GiphySearch
import State
import TestSupport
import Testing

@testable import gifbot

/// A service with a config of its own in a folder of its own; no network of it can be reached.
@Loop private final class Place {
    private nonisolated let place: TemporaryFolder
    var folder: String { place.path }
    let log: Pipe
    let service: Service
    let bot: Bot
    let pages: PageFile
    let reloading: Reloading

    nonisolated static let good = """
        defaults: {rating: pg}
        irc:
          - {name: a, host: 127.0.0.1, port: 1, tls: {enabled: false}, nick: gifbot, channels: ["#cats"]}
        search:
          providers: [giphy, folder]
          giphy: {key_file: key, budget: 5/1h}
        """

    init() throws {
        place = try TemporaryFolder()
        let folder = place.path
        try Data("the-first-key".utf8).write(to: URL(fileURLWithPath: folder + "/key"))
        let config = folder + "/bot.yaml"
        try Data(Self.good.utf8).write(to: URL(fileURLWithPath: config))
        log = try Pipe()
        let sink = StandardErrorLog(output: ErrorOutput(descriptor: log.writing))
        let file = try #require(SettingsFile(named: config))
        let loaded = file.load()
        let settings = try #require(loaded.settings, "\(loaded.faults)")
        let loop = TestLoop.shared
        let store = StateStore.inMemory(clock: loop, log: Log("state", to: sink))
        pages = PageFile(folder: folder, clock: loop, log: Log("gifbot", to: sink))
        let assembly = Assembly(
            settings, store: store, pages: pages, stateFolder: folder, loop: loop, log: Log("gifbot", to: sink))
        bot = assembly.bot
        service = Service(settings, assembly: assembly)
        reloading = Reloading(file, loaded: loaded, service: service, sink: sink, log: Log("gifbot", to: sink))
        service.start()
    }

    func write(_ text: String, to name: String = "bot.yaml") throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
    }

    var rating: Rating {
        bot.settings.settings(for: Conversation(network: "a", name: "#cats", isDirect: false)).rating
    }

    /// Ends it, and gives what was logged.
    func end() async -> String {
        reloading.stop()
        await service.stop()
        return log.readAll()
    }
}

@Loop @Suite("Reload", .serialized, .timeLimit(.minutes(5)))
struct ReloadTests {
    private nonisolated static let bad: [(name: String, text: String, says: String)] = [
        ("a syntax error", Place.good + "\n  - [\n", "bot.yaml:"),
        ("an empty file", "", "the file is empty"),
        ("half of the file", String(Place.good.prefix(60)), "bot.yaml:"),
        (
            "an unknown rating", Place.good.replacing("rating: pg", with: "rating: nine"),
            ":1:20: error: defaults.rating"
        ),
        ("no secret", Place.good.replacing("key_file: key", with: "key_file: none"), "can't read the file none"),
    ]

    @Test("BUG-29: a bad file changes nothing, says what is wrong, and a good one then works", arguments: bad.indices)
    func bad(index: Int) async throws {
        let bad = Self.bad[index]
        let place = try Place()
        try place.write(bad.text)
        let answer = await place.reloading.reload(because: .admin)
        #expect(answer.hasPrefix("The settings in force stay: "))
        #expect(answer.contains(bad.says), "\(answer)")
        #expect(place.rating == .pg)
        #expect(place.service.networks().last == "config: \(answer)")
        try place.write(Place.good.replacing("rating: pg", with: "rating: r"))
        #expect(await place.reloading.reload(because: .signal) == "Settings reloaded: everywhere: rating.")
        #expect(place.rating == .r)
        #expect(place.service.networks().allSatisfy { !$0.hasPrefix("config") })
        let log = await place.end()
        #expect(log.contains("gifbot: config is bad fault="))
        #expect(log.contains("gifbot: settings reloaded because=signal changes=\"everywhere: rating\""))
    }

    @Test("BUG-29: a file that may not be read, or is gone, changes nothing")
    func unreadable() async throws {
        let place = try Place()
        try FileManager.default.removeItem(atPath: place.folder + "/bot.yaml")
        #expect(await place.reloading.reload(because: .signal).contains("can't read the file: No such file"))
        // A folder is as unreadable as a file without the right to it, and that also for root.
        try FileManager.default.createDirectory(
            atPath: place.folder + "/bot.yaml", withIntermediateDirectories: false)
        #expect(await place.reloading.reload(because: .signal).contains("can't read the file: Is a directory"))
        #expect(place.rating == .pg)
        _ = await place.end()
    }

    @Test("A change of the file, or of one that holds a secret, is taken up by itself")
    func watched() async throws {
        let place = try Place()
        place.reloading.watchFiles(on: TestLoop.shared)
        try place.write(Place.good.replacing("rating: pg", with: "rating: r"))
        try await soon { place.rating == .r }
        try place.write("{", to: "bot.yaml")
        try await soon { place.service.configTrouble != nil }
        try place.write(Place.good)
        try await soon { place.rating == .pg && place.service.configTrouble == nil }
        try place.write("", to: "key")
        try await soon { place.service.configTrouble?.contains("the file key is empty") == true }
        try place.write("the-second-key\n", to: "key")
        try await soon { place.service.configTrouble == nil }
        let log = await place.end()
        #expect(log.contains("because=file"))
        #expect(!log.contains("second-key"))
    }

    @Test("Networks come and go, channels too, and each change is told")
    func networks() async throws {
        let place = try Place()
        let more = Place.good.replacing(
            "search:",
            with: """
                  - {name: b, host: 127.0.0.1, port: 1, tls: {enabled: false}, nick: gifbot, channels: []}
                search:
                """
        ).replacing("[\"#cats\"]", with: "[\"#dogs\"]").replacing("5/1h", with: "6/1h")
        try place.write("bot: {admins: [a/ada], state: elsewhere}\n" + more)
        #expect(
            await place.reloading.reload(because: .admin)
                == "Settings reloaded: a: joins #dogs, leaves #cats; b: added; admins; giphy: other settings; state: only at the next start."
        )
        try place.write(Place.good.replacing("port: 1,", with: "port: 2,"))
        let answer = await place.reloading.reload(because: .admin)
        #expect(answer.hasPrefix("Settings reloaded: b: removed; a: connects anew"))
        #expect(await place.reloading.reload(because: .admin) == "Settings reloaded: nothing changed.")
        _ = await place.end()
    }

    @Test("An account under another name begins when the old one has ended: both have the same device")
    func renamedAccount() async throws {
        let place = try Place()
        func config(_ name: String, rooms: String) -> String {
            Place.good.replacing(
                "search:",
                with: """
                    matrix:
                      - {name: \(name), homeserver: "http://127.0.0.1:1", user: "@gifbot:x", access_token: t0ken, rooms: [\(rooms)]}
                    search:
                    """)
        }
        try place.write(config("one", rooms: "\"!a:x\", \"!b:x\""))
        _ = await place.reloading.reload(because: .admin)
        #expect(place.service.networks().contains("one at work"))
        try place.write(config("one", rooms: "\"!a:x\""))
        #expect(await place.reloading.reload(because: .admin).contains("one: stays in, by invitation, !b:x"))
        let file = try #require(SettingsFile(named: place.folder + "/bot.yaml"))
        try place.write(config("two", rooms: ""))
        let settings = try #require(file.load().settings)
        _ = place.service.take(settings)
        #expect(place.service.networks().contains("two not connected"))
        try await soon { place.service.networks().contains("two at work") }
        _ = await place.end()
    }

    @Test("Whoever asks while one waits gets the same answer, and a stopped service takes nothing")
    func many() async throws {
        let place = try Place()
        try place.write(Place.good.replacing("rating: pg", with: "rating: r"))
        let reloading = place.reloading
        let asked = (0..<20).map { _ in Task { await reloading.reload(because: .admin) } }
        var answers: Set<String> = []
        for task in asked { answers.insert(await task.value) }
        #expect(
            answers.isSubset(of: ["Settings reloaded: everywhere: rating.", "Settings reloaded: nothing changed."]))
        await place.service.stop()
        #expect(await reloading.reload(because: .admin) == "The bot is stopping.")
        _ = await place.end()
    }

    /// Looks again after each round of the loop until it is so.
    private func soon(_ isSo: () -> Bool) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while !isSo() {
            guard ContinuousClock.now < end else { throw CancellationError() }
            await TestLoop.shared.sleep(for: .milliseconds(10))
        }
    }
}

@Loop @Suite("Stop", .serialized, .timeLimit(.minutes(5)))
struct StopTests {
    @Test("Pages that were gathered when the stop was asked for are on disk after it")
    func pages() async throws {
        let place = try Place()
        let key = SearchCacheKey(
            query: SearchQuery(words: "otter", rating: .g, language: "en", kind: .gif), source: "commons",
            generation: 0, fixedRating: .pg13)
        let page = StoredPage(page: SearchPage(gifs: []), at: WallTime(milliseconds: 1000))
        place.pages.keep(page, for: key, until: WallTime(milliseconds: 2000))
        await place.service.stop()
        let loop = TestLoop.shared
        let again = PageFile(folder: place.folder, clock: loop, log: Log("gifbot", to: RecordingLog()))
        #expect(await again.page(for: key)?.at == page.at)
        _ = await place.end()
    }
}
