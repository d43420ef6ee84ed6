import Base
import GiphySearch
import HTTP
import Testing

struct GiphyDecodeTests {
    private let api = GiphyAPI(key: Secret("K3Y%2Fsecret/1"))

    private func gifs(_ body: String, status: Int = 200) throws(SourceFailure) -> [Gif] {
        try api.gifs(from: .json(body, status: status))
    }

    private func failure(_ response: HTTPResponse) -> SourceFailure? {
        do throws(SourceFailure) {
            _ = try api.gifs(from: response)
            return nil
        } catch {
            return error
        }
    }

    private func item(_ id: String, images: String) -> String {
        #"{"id":"\#(id)","title":"t","rating":"g","images":\#(images)}"#
    }

    private func page(_ items: String) -> String {
        #"{"data":[\#(items)],"meta":{"status":200,"response_id":"r"}}"#
    }

    private let good =
        #"{"original":{"url":"https://media1.giphy.com/a.gif","width":"480","height":"270","size":"1843200"}}"#

    @Test func aPage() throws {
        let gifs = try api.gifs(from: HTTPResponse(status: 200, body: fixture("giphy-search.json")))
        #expect(gifs.count == 3)
        let first = try #require(gifs.first)
        #expect(first.id == "aQ7waveSmpl01kT")
        #expect(first.qualifiedID == "giphy:aQ7waveSmpl01kT")
        #expect(first.title == "Waving Otter Hello GIF by Sample Studio")
        #expect(first.rating == .g)
        #expect(first.author == "samplestudio")
        #expect(first.credit == "GIPHY")
        #expect(first.pageURL == "https://giphy.com/gifs/otter-hello-wave-aQ7waveSmpl01kT")
        // The same link under several names counts once, and still ones never.
        #expect(first.renditions.map(\.width) == [480, 356, 200])
        #expect(first.renditions[0].height == 270)
        #expect(first.renditions[0].byteCount == 1_482_113)
        #expect(first.renditions.allSatisfy { !$0.url.contains("_s.gif") && $0.url.hasPrefix("https://media") })
    }

    @Test(
        "What GIPHY calls a sticker is one, whatever was searched for",
        arguments: [
            (#""type":"sticker","#, GifKind.sticker), (#""is_sticker":1,"#, .sticker),
            (#""is_sticker":true,"#, .sticker),
            (#""is_sticker":"1","#, .sticker), (#""type":"gif","is_sticker":1,"#, .sticker), ("", .gif),
            (#""type":"gif","is_sticker":0,"#, .gif), (#""type":null,"is_sticker":{"a":1},"#, .gif),
        ])
    func stickers(_ fields: String, _ kind: GifKind) throws {
        let item = #"{\#(fields)"id":"a","title":"t","rating":"g","images":\#(good)}"#
        let gifs = try gifs(page(item))
        #expect(gifs.map(\.kind) == [kind])
    }

    @Test("BUG-21: oddities cost their own item alone") func oddities() throws {
        let gifs = try api.gifs(from: HTTPResponse(status: 200, body: fixture("giphy-search-odd-renditions.json")))
        #expect(Set(gifs.map(\.id)).count == gifs.count)
        #expect(gifs.contains { $0.id == "o1zeroSmpl05aaa" && $0.renditions.count == 3 })
        #expect(gifs.contains { $0.id == "o2noorigSmpl06b" && $0.renditions[0].width == 300 })
        // The same link under two names, with dimensions under one of them.
        #expect(gifs.contains { $0.id == "o7blankSmpl11gg" && $0.renditions[0].width == 200 })
        #expect(gifs.contains { $0.id == "oBhugeeSmpl15kk" && $0.renditions[0].width == 300 })
        #expect(gifs.contains { $0.id == "4821077" })
        for gif in gifs {
            #expect(!gif.renditions.isEmpty)
            for rendition in gif.renditions {
                #expect(rendition.url.hasPrefix("https://"))
                #expect((rendition.width ?? 1) > 0 && (rendition.height ?? 1) > 0 && (rendition.byteCount ?? 1) > 0)
            }
            #expect(gif.title.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E && $0.value != 0x7F })
        }
    }

    @Test("BUG-21: data as object, list or null", arguments: ["{}", "[]", "null", #""x""#, "7"])
    func emptyData(data: String) throws {
        #expect(try gifs(#"{"data":\#(data),"meta":{"status":200,"response_id":"r"}}"#) == [])
        #expect(try gifs(#"{"data":\#(data)}"#) == [])
    }

    @Test func oneResultAsAnObject() throws {
        #expect(try api.gifs(from: HTTPResponse(status: 200, body: fixture("giphy-random.json"))).count == 1)
        #expect(try api.gifs(from: HTTPResponse(status: 200, body: fixture("giphy-random-empty-array.json"))) == [])
        #expect(try api.gifs(from: HTTPResponse(status: 200, body: fixture("giphy-random-legacy-flat.json"))) == [])
    }

    @Test("BUG-21: five items of which one is good") func oneOfFive() throws {
        let items = [
            item("1", images: #"{"downsized":{"height":"0","size":"0","url":"","width":"0"}}"#),
            #"{"id":"2","title":"t"}"#,
            item("3", images: good), "null", #"{"id":"","images":\#(good)}"#,
        ]
        #expect(try gifs(page(items.joined(separator: ","))).map(\.id) == ["3"])
    }

    @Test("BUG-21: nothing usable is no result, and no error") func nothingUsable() throws {
        #expect(try gifs(page(item("1", images: "{}"))) == [])
    }

    @Test(
        "BUG-19, BUG-21: numbers as text and as numbers, unknown ones left out",
        arguments: [
            (#""480","height":"270","size":"10""#, 480, 10), (#"480,"height":270,"size":10"#, 480, 10),
            (#"480.0,"height":270,"size":10.5"#, 480, nil), (#""480","height":"270""#, 480, nil),
            (#""480","height":"270","size":"0""#, 480, nil), (#""480","height":"270","size":"x""#, 480, nil),
            (#""","height":"270""#, nil, nil), (#""wide","height":"270""#, nil, nil),
            (#"99999999,"height":"270""#, nil, nil),
            (#"-480,"height":"270""#, nil, nil), (#"null,"height":[]"#, nil, nil),
        ] as [(String, Int?, Int?)])
    func numbers(text: String, width: Int?, bytes: Int?) throws {
        let found = try gifs(
            page(item("1", images: #"{"original":{"url":"https://media1.giphy.com/a.gif","width":\#(text)}}"#)))
        #expect(found.first?.renditions.first?.width == width)
        #expect(found.first?.renditions.first?.byteCount == bytes)
    }

    @Test("BUG-19: a zeroed or blank rendition is passed over, a still one never taken") func renditions() throws {
        let images = #"""
            {"original_still":{"url":"https://media1.giphy.com/s.gif","width":"900","height":"900"},
             "original":{"url":"https://media1.giphy.com/o.gif","width":"0","height":"0"},
             "downsized_large":{"url":"","width":"500","height":"300"},"downsized_medium":null,
             "fixed_width":{"url":"https://media1.giphy.com/w.gif","width":"200","height":"113"},
             "fixed_height":{"url":"https://media1.giphy.com/h.gif"}}
            """#
        let found = try gifs(page(item("1", images: images)))
        #expect(found.first?.renditions.map(\.url) == ["https://media1.giphy.com/w.gif"])
    }

    @Test(
        "BUG-23: ratings in any letter case",
        arguments: [
            ("g", .g), ("G", .g), ("pg", .pg), ("PG-13", .pg13), ("R", .r), ("y", .g), ("Y", .g), ("", nil),
            ("nsfw", nil), ("unrated", nil),
        ] as [(String, Rating?)])
    func ratings(text: String, rating: Rating?) throws {
        let body = page(#"{"id":"1","rating":"\#(text)","images":\#(good)}"#)
        #expect(try gifs(body).first?.rating == rating)
    }

    @Test func ratingOfAnotherTypeIsNone() throws {
        #expect(try gifs(page(#"{"id":"1","rating":5,"images":\#(good)}"#)).first?.rating == nil)
    }

    @Test func idsAsNumbersAndOfDoubtfulKind() throws {
        let ids = ["12", #""a b""#, #""a\u0007""#, #""é""#, #"null"#, #""\#(String(repeating: "x", count: 101))""#]
        let items = ids.map { #"{"id":\#($0),"images":\#(good)}"# }
        #expect(try gifs(page(items.joined(separator: ","))).map(\.id) == ["12"])
    }

    @Test("BUG-07: titles are cleaned before anybody sees them") func titles() throws {
        let body = page(
            #"{"id":"1","title":" nice\r\nQUIT :bye\u0000 \u202egif \ud83d\ude00 \ud800 ","images":\#(good)}"#)
        #expect(try gifs(body).first?.title == "nice QUIT :bye gif 😀 \u{FFFD}")
    }

    @Test(
        "BUG-32: only https on GIPHY's hosts",
        arguments: [
            ("https://media1.giphy.com/a.gif", true), ("https://i.giphy.com/a.gif?cid=x&rid=y.gif", true),
            ("https:\\/\\/media0.giphy.com\\/a.gif", true),
            ("https://MEDIA1.giphy.com/a.gif", true), ("https://media1.giphy.com:443/a.gif", true),
            ("https://giphy.com/a.gif", true),
            ("http://media1.giphy.com/a.gif", false), ("https://giphy.com.evil.example/a.gif", false),
            ("https://evilgiphy.com/a.gif", false),
            ("https://user@media1.giphy.com/a.gif", false), ("https://evil.example/media1.giphy.com/a.gif", false),
            ("https://evil.example#.giphy.com/a.gif", false), ("https://media1.giphy.com:8443/a.gif", false),
            ("javascript:alert(1)", false),
            ("https://media1.giphy.com/a b.gif", false), ("https://media1.giphy.com/a\\u000d\\u000aQUIT", false),
            ("//media1.giphy.com/a.gif", false),
            ("https://media1.giphy.com/é.gif", false), ("https://", false), ("https:///a.gif", false),
            ("http://127.0.0.1:8081/a.gif", false),
            ("https://.giphy.com/a.gif", false),
        ])
    func hosts(url: String, isAllowed: Bool) throws {
        let images = #"{"original":{"url":"\#(url)","width":"480","height":"270"}}"#
        #expect(try gifs(page(item("1", images: images))).isEmpty != isAllowed)
    }

    @Test("BUG-32: below a loopback address that the operator gave") func standIn() throws {
        let api = GiphyAPI(key: Secret("k"), base: "http://127.0.0.1:8081")
        let urls = [
            "http://127.0.0.1:8081/a.gif", "http://127.0.0.1:80811/b.gif", "http://127.0.0.2:8081/c.gif",
            "https://i.giphy.com/d.gif",
        ]
        let items = urls.map {
            item($0.suffix(5).description, images: #"{"original":{"url":"\#($0)","width":1,"height":1}}"#)
        }
        #expect(
            try api.gifs(from: .json(page(items.joined(separator: ",")))).map { $0.renditions[0].url } == [
                urls[0], urls[3],
            ])
        let distant = GiphyAPI(key: Secret("k"), base: "https://giphy.example")
        #expect(
            try distant.gifs(
                from: .json(
                    page(item("1", images: #"{"original":{"url":"https://giphy.example/a.gif","width":1,"height":1}}"#))
                )) == [])
    }

    // MARK: Refusals

    @Test(
        "BUG-20: refusals in every shape",
        arguments: [
            ("giphy-error-429.json", 429, .rateLimited(retryIn: .minutes(10))),
            ("giphy-error-429-message-only.json", 429, .rateLimited(retryIn: .minutes(10))),
            ("giphy-error-403.json", 403, .badKey(status: 403)),
            ("giphy-error-403-message-only.json", 403, .badKey(status: 403)),
            ("giphy-error-403-meta-only.json", 403, .badKey(status: 403)),
            ("giphy-error-401.json", 401, .badKey(status: 401)),
            ("giphy-error-400.json", 400, .badRequest(status: 400)),
            ("giphy-error-414.json", 414, .badRequest(status: 414)),
            ("giphy-by-id-404.json", 404, .badRequest(status: 404)),
            ("giphy-error-html-body.html", 502, .unavailable("HTTP status 502")),
            ("giphy-search.json", 500, .unavailable("HTTP status 500")),
            ("giphy-search.json", 301, .unavailable("HTTP status 301")),
            // The body says otherwise than the status.
            ("giphy-error-429.json", 200, .rateLimited(retryIn: .minutes(10))),
            ("giphy-error-403.json", 200, .badKey(status: 403)),
            ("giphy-error-400.json", 200, .badRequest(status: 400)),
            (
                "giphy-search-synthetic-200.json", 200,
                .unavailable("an empty answer without response_id: the service is down")
            ),
            ("giphy-error-403-message-only.json", 200, .unavailable("the answer has no data")),
            ("giphy-search-empty.json", 200, nil), ("giphy-search-past-end.json", 200, nil),
        ] as [(String, Int, SourceFailure?)])
    func refusals(name: String, status: Int, expected: SourceFailure?) throws {
        #expect(try failure(HTTPResponse(status: status, body: fixture(name))) == expected)
    }

    @Test("BUG-20: a plain-text body with 401, whatever it says") func plainText() {
        #expect(failure(.json("no", status: 401)) == .badKey(status: 401))
    }

    @Test(
        "BUG-20: retry-after counts only where it asks for more",
        arguments: [
            ("0", 600), ("-5", 600), ("30", 600), ("3600", 3600), ("99999999", 86400), ("soon", 600),
            ("Wed, 21 Oct 2026 07:28:00 GMT", 600),
        ])
    func retryAfter(text: String, seconds: Int) {
        let response = HTTPResponse.json("{}", status: 429, headers: [HTTPHeader("retry-after", text)])
        #expect(failure(response) == .rateLimited(retryIn: .seconds(seconds)))
    }

    @Test("BUG-21: what can't be read is an error, not no result") func unreadable() throws {
        for body in ["", "<html>", "[", "nul", #"{"data":[{]}"#] {
            guard case .unavailable = failure(.json(body)) else {
                Issue.record("\(body) gives no error")
                continue
            }
        }
        guard case .unavailable = try failure(HTTPResponse(status: 200, body: fixture("giphy-error-html-body.html")))
        else {
            Issue.record("HTML gives no error")
            return
        }
    }

    @Test func cutAnywhereItIsAnError() throws {
        let small = Array(page(item("1", images: good) + "," + item("2", images: #"{"original":null}"#)).utf8)
        let large = try fixture("giphy-search-odd-renditions.json")
        let end = large.lastIndex(of: UInt8(ascii: "}"))!
        let cuts =
            small.indices.map { Array(small[..<$0]) }
            + stride(from: 0, through: end, by: 499).map { Array(large[..<$0]) }
        for cut in cuts {
            guard case .unavailable = failure(HTTPResponse(status: 200, body: cut)) else {
                Issue.record("cut at \(cut.count) gives no error")
                continue
            }
        }
    }

    @Test func damageNeverTrapsAndNeverPostsWhatItShouldNot() throws {
        let body = try fixture("giphy-search.json")
        for index in stride(from: 0, to: body.count, by: 97) {
            var damaged = body
            damaged[index] ^= 0x15
            guard let found = try? api.gifs(from: HTTPResponse(status: 200, body: damaged)) else { continue }
            for rendition in found.flatMap(\.renditions) {
                #expect(rendition.url.hasPrefix("https://") && rendition.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
            }
        }
    }
}
