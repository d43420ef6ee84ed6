import GiphySearch
import Testing

struct GifPickerTests {
    private let page = SearchPage(gifs: ["a", "b", "c"].map { makeGif($0) })

    private func pick(
        _ page: SearchPage, _ suitability: Suitability = channel(), shown: [String] = [], number: Int? = nil
    ) -> Result<String, SearchFailure> {
        do throws(SearchFailure) {
            return .success(
                try GifPicker.pick(from: page, for: suitability, number: number) { id in
                    shown.lastIndex(of: id).map { UInt64($0) }
                }.gif.id)
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "BUG-26: the first that wasn't shown lately; when all were, the one shown longest ago",
        arguments: [
            ([], "a"), (["giphy:a"], "b"), (["giphy:a", "giphy:b"], "c"), (["giphy:a", "giphy:b", "giphy:c"], "a"),
            (["giphy:c", "giphy:a", "giphy:b"], "c"), (["giphy:b", "giphy:x", "giphy:c", "giphy:a"], "b"),
            (["folder:a", "a"], "a"),
            (["giphy:a", "giphy:b", "giphy:c", "giphy:a"], "b"),
        ])
    func repeats(shown: [String], id: String) {
        #expect(pick(page, shown: shown) == .success(id))
    }

    @Test("BUG-26: five equal searches in a row show no GIF twice while there are others") func fiveInARow() {
        var shown: [String] = []
        for _ in 0..<5 {
            guard case .success(let id) = pick(page, shown: shown) else { return }
            shown.append("giphy:" + id)
        }
        #expect(shown == ["giphy:a", "giphy:b", "giphy:c", "giphy:a", "giphy:b"])
    }

    @Test func theNthOfTheSuitableOnes() {
        let page = SearchPage(gifs: [makeGif("x", rating: .r), makeGif("a"), makeGif("b")])
        #expect(pick(page, number: 1) == .success("a"))
        #expect(pick(page, shown: ["giphy:b"], number: 2) == .success("b"))
        #expect(pick(page, number: 3) == .failure(.nothingFound))
        #expect(pick(SearchPage(gifs: [makeGif("x", rating: .r)]), number: 1) == .failure(.nothingSuitable))
    }

    @Test(
        "BUG-23: nothing above the channel's rating, and unrated counts as above g",
        arguments: [
            (Rating.g, false, ["g"]), (.pg, false, ["g", "pg"]), (.pg13, false, ["g", "pg", "pg13"]),
            (.r, false, ["g", "pg", "pg13", "r"]),
            (.g, true, ["g", "none"]), (.r, true, ["g", "pg", "pg13", "r", "none"]),
        ])
    func ratings(rating: Rating, unrated: Bool, ids: [String]) {
        let gifs = [
            makeGif("r", rating: .r), makeGif("none", rating: nil), makeGif("pg13", rating: .pg13),
            makeGif("pg", rating: .pg),
            makeGif("g", rating: .g),
        ]
        let found = gifs.filter { gif in
            pick(SearchPage(gifs: [gif]), channel(rating: rating, unrated: unrated)) == .success(gif.id)
        }
        #expect(Set(found.map(\.id)) == Set(ids))
    }

    @Test("BUG-23: all filtered is 'nothing suitable', none at all 'nothing found'") func noneLeft() {
        #expect(
            pick(SearchPage(gifs: [makeGif("a", rating: .r), makeGif("b", rating: .pg)])) == .failure(.nothingSuitable))
        #expect(pick(SearchPage(gifs: [])) == .failure(.nothingFound))
    }

    @Test(
        "BUG-23: denied words and ids",
        arguments: [
            ("Cat with gun", ["gun"], true), ("Cat with GUN!", ["gun"], true), ("gun", ["gun"], true),
            ("Begun", ["gun"], false), ("guns", ["gun"], false),
            ("Ünicode-Über", ["über"], true), ("big bad wolf", ["bad wolf"], true), ("bad, wolf", ["bad wolf"], true),
            ("bad old wolf", ["bad wolf"], false),
            ("anything", [""], false), ("anything", ["!"], false), ("猫 dance", ["猫"], true),
        ])
    func deniedWords(title: String, words: [String], isDenied: Bool) {
        let page = SearchPage(gifs: [makeGif("a", title: title)])
        #expect(pick(page, channel(words: words)) == (isDenied ? .failure(.nothingSuitable) : .success("a")))
    }

    @Test(
        "A denied word is found however it is spelled",
        arguments: [
            "Ｇｕｎ", "g\u{200D}un", "gu\u{AD}n", "g\u{2063}u\u{FE0F}n", "gün", "g\u{FA}\u{301}n", "𝐠𝐮𝐧", "ⓖⓤⓝ", "🄶🅄🄽",
            "ɢᴜɴ", "ᵍᵘⁿ",
            "𝔤𝕦𝓃", "g\u{E0067}un", "ğųņ",
        ])
    func spellings(title: String) {
        let page = SearchPage(gifs: [makeGif("a", title: "Cat with \(title)!")])
        #expect(pick(page, channel(words: ["gun"])) == .failure(.nothingSuitable))
    }

    @Test(
        "Letters of other scripts count as Latin ones only among those, and accents only for words without any",
        arguments: [
            ("сat and dоg", ["cat"], true), ("dоg", ["dog"], true), ("сор", ["cop"], false), ("сор", ["сор"], true),
            ("schön", ["schon"], true), ("schon", ["schön"], false), ("scho\u{308}n", ["schön"], true),
            ("SCHÖN", ["schön"], true), ("ab\u{200C}cd", ["abcd"], true), ("ab cd", ["abcd"], false),
        ])
    func otherScripts(title: String, words: [String], isDenied: Bool) {
        let page = SearchPage(gifs: [makeGif("a", title: title)])
        #expect(pick(page, channel(words: words)) == (isDenied ? .failure(.nothingSuitable) : .success("a")))
    }

    @Test("BUG-23: denied ids, with and without their source") func deniedIDs() {
        #expect(pick(page, channel(ids: ["a"])) == .success("b"))
        #expect(pick(page, channel(ids: ["giphy:a", "b"])) == .success("c"))
        #expect(pick(page, channel(ids: ["folder:a"])) == .success("a"))
    }

    @Test("Stickers that a search for GIFs has found are left out where they are switched off") func stickers() {
        let mixed = SearchPage(gifs: [makeGif("a", kind: .sticker), makeGif("b")])
        var off = channel()
        off.allowsStickers = false
        #expect(pick(mixed) == .success("a") && pick(mixed, off) == .success("b"))
        #expect(pick(SearchPage(gifs: [makeGif("a", kind: .sticker)]), off) == .failure(.nothingSuitable))
    }

    // MARK: Renditions

    private func rendition(_ renditions: [(Int?, Int?, Int?)], _ suitability: Suitability = channel()) -> Int? {
        let made = renditions.enumerated().map { index, sizes in
            Rendition(url: "https://i.giphy.com/\(index)", width: sizes.0, height: sizes.1, byteCount: sizes.2)
        }
        let page = SearchPage(gifs: [makeGif("a", renditions: made)])
        guard let picked = try? GifPicker.pick(from: page, for: suitability, lastShown: { _ in nil }) else {
            return nil
        }
        return made.firstIndex(of: picked.rendition)
    }

    @Test func theLargestThatFits() {
        let sizes: [(Int?, Int?, Int?)] = [(480, 270, 9_000_000), (400, 225, 5_000_000), (200, 113, 90_000)]
        #expect(rendition(sizes) == 1)
        #expect(rendition(sizes, channel(bytes: 10_000_000)) == 0)
        #expect(rendition(sizes, channel(bytes: 10_000_000, width: 399)) == 2)
        #expect(rendition(sizes.reversed()) == 1)
    }

    @Test func whenNoneFitsTheSmallest() {
        let sizes: [(Int?, Int?, Int?)] = [(480, 270, 9_000_000), (200, 113, 90_000), (400, 225, 5_000_000)]
        #expect(rendition(sizes, channel(bytes: 1000)) == 1)
        #expect(rendition(sizes, channel(width: 10)) == 1)
    }

    @Test func unknownSizesMayFit() {
        #expect(rendition([(480, 270, nil), (200, 113, 10)]) == 0)
        #expect(rendition([(nil, nil, 10), (200, 113, 10)]) == 1)
        #expect(rendition([(nil, nil, nil)]) == 0)
        #expect(rendition([(nil, nil, nil), (900, 900, nil)], channel(width: 800)) == 0)
    }

    @Test func aGifWithoutRenditionsIsNotPosted() {
        #expect(pick(SearchPage(gifs: [makeGif("a", renditions: [])])) == .failure(.nothingSuitable))
    }
}
