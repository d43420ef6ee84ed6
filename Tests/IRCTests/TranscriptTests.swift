import Foundation
import Testing

@Suite("IRC session, story by story", .timeLimit(.minutes(2)))
struct TranscriptTests {
    /// The text files in Transcripts, each a story that begins with its title.
    private static let stories: [String] = {
        let urls = Bundle.module.urls(forResourcesWithExtension: "irc", subdirectory: "Transcripts") ?? []
        return urls.map { ($0 as URL).lastPathComponent }.sorted()
    }()

    @Test func thereAreStories() {
        #expect(Self.stories.count >= 20)
    }

    @Test(arguments: stories)
    func story(file: String) async throws {
        try await Story.play(text(of: file))
    }

    @Test("the same stories, played by a scripted server over TLS", arguments: stories)
    func overTLS(file: String) async throws {
        let text = try text(of: file)
        let wire = try await TLSWire.open()
        do {
            try await Story.play(text, over: wire)
        } catch {
            await wire.close()
            throw error
        }
        await wire.close()
    }

    private func text(of file: String) throws -> String {
        let url = try #require(Bundle.module.url(forResource: "Transcripts/" + file, withExtension: nil))
        return String(decoding: try Data(contentsOf: url), as: UTF8.self)
    }
}
