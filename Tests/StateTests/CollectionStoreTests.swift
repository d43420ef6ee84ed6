import Base
import Bot
import Chat
import GiphySearch
import State
import Testing

@Suite struct CollectionStoreTests {
    @Loop static func saved(_ name: String, keepsGif: Bool) -> SavedGif {
        let gif = Gif(
            id: "a:é", source: "folder", title: "Party", rating: nil, pageURL: "https://x.example/p", author: nil,
            credit: "folder", altText: "A parrot",
            renditions: [
                Rendition(
                    url: "https://x.example/1.gif", width: 480, height: nil, byteCount: 12, mediaType: "image/gif",
                    localPath: "/srv/a b.gif"),
                Rendition(url: "https://x.example/2.gif", width: nil, height: nil, byteCount: nil),
            ])
        return SavedGif(
            name: name, source: "folder", id: "a:é", gif: keepsGif ? gif : nil, by: "ada",
            at: WallTime(milliseconds: 1_800_000_000_000))
    }

    @Test("A restart keeps the collection exactly, in its order, and what was forgotten stays forgotten") @Loop
    func restart() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for (name, keepsGif) in [("hug", true), ("gone", true), ("id", false)] {
            #expect(store.save(Self.saved(name, keepsGif: keepsGif), in: cats))
        }
        #expect(store.forget(saved: "gone", in: cats) && !store.forget(saved: "gone", in: cats))
        await store.close()
        let again = try scratch.open()
        #expect(again.savedNames(in: cats) == ["hug", "id"] && again.savedNames(in: ada).isEmpty)
        #expect(again.savedGif("hug", in: cats) == Self.saved("hug", keepsGif: true))
        #expect(again.savedGif("id", in: cats) == Self.saved("id", keepsGif: false))
        await again.close()
    }

    @Test("Bounded: a full collection takes no more") @Loop func bounded() throws {
        let store = StateStore.inMemory(clock: Scratch().clock, log: Log("test", to: Scratch().log))
        for number in 0..<200 { #expect(store.save(Self.saved("n\(number)", keepsGif: false), in: cats)) }
        #expect(!store.save(Self.saved("more", keepsGif: false), in: cats))
        #expect(store.save(Self.saved("more", keepsGif: false), in: ada))
    }
}
