import Foundation
import Testing

@Suite("IRC session, story by story")
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
    func story(file: String) throws {
        let url = try #require(Bundle.module.url(forResource: "Transcripts/" + file, withExtension: nil))
        try Story.play(String(decoding: Data(contentsOf: url), as: UTF8.self))
    }
}
