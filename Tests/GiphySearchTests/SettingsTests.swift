import Base
import HTTP
import TestSupport
import Testing

@testable import GiphySearch

/// A config in a few letters: text, lists and mappings, with lines counted in the order written.
indirect enum Written: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, Sendable {
    case text(String)
    case list([Written])
    case map([(String, Written)])

    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral elements: Written...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, Written)...) { self = .map(elements) }

    func node(_ line: inout Int) -> ConfigNode {
        line += 1
        let place = ConfigPlace(line: line, column: 1)
        switch self {
        case .text(let text): return ConfigNode(.scalar(text, isPlain: true), at: place)
        case .list(let items): return ConfigNode(.list(items.map { $0.node(&line) }), at: place)
        case .map(let members):
            let entries = members.map { name, value in
                (key: ConfigNode.ConfigKey(name: name, place: place), value: value.node(&line))
            }
            return ConfigNode(.map(entries), at: place)
        }
    }
}

struct SettingsTests {
    private func decode(_ written: Written) -> (settings: SearchSettings, faults: [String], warnings: [String]) {
        let context = ConfigContext(
            folder: "/etc/gifbot", environment: { $0 == "GIPHY_KEY" ? "from-environment" : nil },
            readFile: { (_) throws(ConfigFileError) in throw ConfigFileError(reason: "no such file") })
        var line = 0
        let root = ConfigMap(written.node(&line), path: "", in: context)!
        let settings = SearchSettings(decoding: root)
        return (
            settings, context.faults.map { "\($0.path): \($0.message)" },
            context.warnings.map { "\($0.path): \($0.message)" }
        )
    }

    @Test func withoutASectionTheSamplesAreTheSource() {
        let (settings, faults, _) = decode([:])
        #expect(settings == SearchSettings(sources: [.folder(.init())], cacheEntries: 5000))
        #expect(faults.isEmpty)
    }

    @Test("What GIPHY is asked for where it finds nothing is off unless it is written") func instead() {
        for (written, translates, suggests) in [
            (["key": "k"], false, false), (["key": "k", "translate": "true", "suggestions": "true"], true, true),
            (["key": "k", "suggestions": "true", "translate": "false"], false, true),
        ] as [(Written, Bool, Bool)] {
            let (settings, faults, _) = decode(["search": ["giphy": written]])
            #expect(faults.isEmpty)
            guard case .giphy(let keyed) = settings.sources.first else {
                Issue.record("no giphy")
                continue
            }
            #expect(keyed.translates == translates && keyed.suggests == suggests)
        }
    }

    @Test func everything() {
        let (settings, faults, warnings) = decode([
            "search": [
                "providers": ["giphy", "folder"], "cache": ["entries": "700"],
                "giphy": [
                    "key": "${GIPHY_KEY}", "base_url": "https://api.giphy.com/", "budget": "42/1h",
                    "cache_seconds": "600",
                    "permission": "letter of 2026-03-01",
                ],
                "folder": ["path": "./gifs", "public_url": "https://gifs.example.org", "rating": "PG-13"],
            ]
        ])
        #expect(faults.isEmpty)
        #expect(warnings.isEmpty)
        #expect(settings.cacheEntries == 700)
        #expect(
            settings.sources == [
                .giphy(
                    .init(
                        key: Secret("from-environment"), baseURL: "https://api.giphy.com",
                        budget: BudgetRule(count: 42, period: .hours(1)), keepsResultsFor: .seconds(600),
                        hasPermission: true)),
                .folder(.init(path: "/etc/gifbot/gifs", publicURL: "https://gifs.example.org", rating: .pg13)),
            ])
    }

    @Test func defaults() throws {
        let (settings, faults, _) = decode(["search": ["giphy": ["key": "k"]]])
        #expect(faults.isEmpty)
        let expected = SearchSettings.Keyed(
            key: Secret("k"), baseURL: "https://api.giphy.com", budget: BudgetRule(count: 100, period: .hours(1)),
            keepsResultsFor: .seconds(60), hasPermission: false)
        #expect(settings.sources == [.giphy(expected)])
        #expect(expected.policy(.giphy) == .giphy)
    }

    @Test func permissionLiftsThePolicy() {
        let (settings, _, _) = decode([
            "search": ["giphy": ["key": "k", "permission": "yes, by mail", "cache_seconds": "86400"]]
        ])
        guard case .giphy(let giphy) = settings.sources.first else {
            Issue.record("no giphy")
            return
        }
        #expect(giphy.policy(.giphy).mayCopyFiles && giphy.policy(.giphy).mayStoreURLs)
        #expect(giphy.policy(.giphy).keepsResultsFor == .days(1))
    }

    @Test func budgetCanBeOff() {
        let (settings, faults, _) = decode(["search": ["giphy": ["key": "k", "budget": "off"]]])
        #expect(faults.isEmpty)
        guard case .giphy(let giphy) = settings.sources.first else {
            Issue.record("no giphy")
            return
        }
        #expect(giphy.budget == nil)
    }

    @Test func aStandInOnLoopbackIsAccepted() {
        for base in ["http://127.0.0.1:8081", "http://localhost:1/x", "http://[::1]:8081"] {
            #expect(decode(["search": ["giphy": ["key": "k", "base_url": .text(base)]]]).faults.isEmpty)
        }
    }

    @Test(
        arguments: [
            (["providers": ["giphy"]], "search.giphy: giphy is listed in providers"),
            (["giphy": ["budget": "1/1h"]], "search.giphy.key: missing"),
            (["giphy": ["key": "${NOT_SET}"]], "search.giphy.key: the environment variable NOT_SET is not set"),
            (
                ["giphy": ["key": "k", "cache_seconds": "61"]],
                "search.giphy.cache_seconds: GIPHY's rules allow 60 at most"
            ),
            (["giphy": ["key": "k", "cache_seconds": "soon"]], "search.giphy.cache_seconds: expected a whole number"),
            (["giphy": ["key": "k", "permission": " "]], "search.giphy.permission: expected the reason"),
            (["giphy": ["key": "k", "budget": "many"]], "search.giphy.budget: expected calls in a time"),
            (
                ["giphy": ["key": "k", "base_url": "http://api.giphy.com"]],
                "search.giphy.base_url: expected an https address"
            ),
            (
                ["giphy": ["key": "k", "base_url": "http://127.0.0.1.evil.example"]],
                "search.giphy.base_url: expected an https address"
            ),
            (["giphy": ["key": "k", "base_url": "ftp://x"]], "search.giphy.base_url: expected an address"),
            (["giphy": ["key": "k", "base_url": "https://x/?y"]], "search.giphy.base_url: expected an address"),
            (["giphy": ["key": "k", "base_url": "https://u:p@x"]], "search.giphy.base_url: expected an address"),
            (["giphy": ["key": "k", "bugdet": "1/1h"]], "search.giphy.bugdet: unknown key; did you mean budget?"),
            (["folder": ["rating": "PG13"]], "search.folder.rating: expected one of g, pg, pg-13, r"),
            (
                ["folder": ["public_url": "http://gifs.example.org"]],
                "search.folder.public_url: expected an https address"
            ),
            (["providers": ["klipy"]], "search.klipy: klipy is listed in providers, and has no section with its key"),
            (
                ["providers": ["folder", "commons"]],
                "search.commons: commons is listed in providers, and has no section with your contact"
            ),
            (["klipy": ["key": "k", "translate": "true"]], "search.klipy.translate: unknown key"),
            (["giphy": ["key": "k", "translate": "perhaps"]], "search.giphy.translate: expected"),
            (["klipy": ["budget": "1/1h"]], "search.klipy.key: missing"),
            (["klipy": ["key": "k", "cache_seconds": "61"]], "search.klipy.cache_seconds: KLIPY's rules allow 60"),
            (["klipy": ["key": "k", "base_url": "http://api.klipy.com"]], "search.klipy.base_url: expected an https"),
            (["commons": ["rating": "g"]], "search.commons.contact: missing: expected where you can be reached"),
            (["commons": ["contact": "me"]], "search.commons.contact: expected where you can be reached"),
            (["commons": ["contact": "a@b (x)"]], "search.commons.contact: expected where you can be reached"),
            (["commons": ["contact": "a@b.example\r\nX: y"]], "search.commons.contact: expected where"),
            (["commons": ["contact": "a@b.example", "rating": "x"]], "search.commons.rating: expected one of"),
            (["openverse": ["contact": "a@b.example"]], "search.openverse.contact: unknown key"),
            (
                ["openverse": ["cache_seconds": "86401"]],
                "search.openverse.cache_seconds: Openverse's rules allow 86400"
            ),
            (
                ["providers": ["gipy"]],
                "search.providers[0]: expected one of giphy, klipy, commons, openverse, folder; did you mean giphy?"
            ),
            (["providers": ["folder", "folder"]], "search.providers[1]: folder is listed twice"),
            (["providers": []], "search.providers: no source is listed"),
            (["providers": "giphy"], "search.providers: expected a list"),
            (["providers": [["x": "y"]]], "search.providers[0]: expected one of"),
            (["cache": ["entries": "0"]], "search.cache.entries: expected a whole number"),
            (["cache": ["size": "1"]], "search.cache.size: unknown key"),
            (["sources": ["folder"]], "search.sources: unknown key"),
        ] as [(Written, String)])
    func faults(section: Written, fault: String) {
        let faults = decode(["search": section]).faults
        #expect(faults.contains { $0.hasPrefix(fault) }, "\(faults)")
    }

    @Test("BUG-28: no fault holds the key") func secrets() {
        let (_, faults, _) = decode([
            "search": ["giphy": ["key": "K3Ysecret", "base_url": "no", "budget": "no", "x": "y"]]
        ])
        #expect(faults.count == 3)
        #expect(!faults.joined().contains("K3Y"))
    }

    @Test func everySource() {
        let (settings, faults, _) = decode([
            "search": [
                "providers": ["openverse", "commons", "klipy"],
                "klipy": ["key": "k", "base_url": "https://api.giphy.com/v2"],
                "commons": ["contact": "mailto:ops@example.org", "rating": "r", "budget": "10/1m"],
            ]
        ])
        #expect(faults.isEmpty)
        #expect(settings.sources.map(\.name) == ["openverse", "commons", "klipy"])
        #expect(settings.sources.map(\.fixedRating) == [.pg13, .r, nil])
        #expect(settings.sources.map(\.policy.credit) == ["Openverse", "Wikimedia Commons", "GIPHY"])
        #expect(settings.sources[1].policy.keepsResultsFor == .days(1))
        guard case .commons(let commons) = settings.sources[1] else {
            Issue.record("no commons")
            return
        }
        #expect(
            commons.contact == "mailto:ops@example.org" && commons.budget == BudgetRule(count: 10, period: .minutes(1)))
    }
}

@Loop struct SourceMakerTests {
    private let clock = ManualClock()
    private let store = MemoryBudgetStore()

    private func maker(_ http: FakeHTTP) -> SourceMaker {
        SourceMaker(http: http, store: store, stateFolder: "/nonexistent", clock: clock)
    }

    private func settings(key: String, budget: BudgetRule? = BudgetRule(count: 5, period: .hours(1))) -> SearchSettings
    {
        SearchSettings(sources: [
            .giphy(
                .init(
                    key: Secret(key), baseURL: "https://api.giphy.com", budget: budget, keepsResultsFor: .seconds(60),
                    hasPermission: false)),
            .folder(.init()),
        ])
    }

    @Test("BUG-29: a reload that changes nothing here keeps the sources") func reload() {
        let maker = maker(FakeHTTP { _, _ in .respond(giphyPage([])) })
        let first = maker.sources(for: settings(key: "a"))
        let second = maker.sources(for: settings(key: "a"))
        #expect(first.map(\.name) == ["giphy", "folder"])
        #expect(zip(first, second).allSatisfy { $0 === $1 })
    }

    @Test("BUG-20: a refused key stays refused over a reload, until it changes") func latch() async {
        let maker = maker(FakeHTTP { _, _ in .respond(.json("{}", status: 401)) })
        let service = SearchService(
            sources: maker.sources(for: settings(key: "a")), cacheEntries: 10, clock: clock,
            log: Log("search", to: RecordingLog()))
        _ = await service.page(for: query("owl"))
        #expect(maker.sources(for: settings(key: "a"))[0].refusal() == .badKey(status: 401))
        #expect(maker.sources(for: settings(key: "b"))[0].refusal() == nil)
    }

    @Test func whatAKeySpentIsCountedUnderNewSettingsToo() async throws {
        let maker = maker(FakeHTTP { _, _ in .respond(giphyPage(["a"])) })
        let old = maker.sources(for: settings(key: "a"))[0]
        let deadline = clock.now.advanced(by: .seconds(9))
        for _ in 0..<3 { _ = try await old.gifs(for: query("owl"), by: deadline) }
        let rule = BudgetRule(count: 3, period: .hours(1))
        #expect(
            maker.sources(for: settings(key: "a", budget: rule))[0].refusal() == .budgetUsedUp(returnsIn: .hours(1)))
        #expect(maker.sources(for: settings(key: "b", budget: rule))[0].refusal() == nil)
    }

    @Test("a restart finds the calls counted") func restart() async throws {
        let http = FakeHTTP { _, _ in .respond(giphyPage(["a"])) }
        let old = maker(http).sources(for: settings(key: "a"))[0]
        for _ in 0..<5 { _ = try await old.gifs(for: query("owl"), by: clock.now.advanced(by: .seconds(9))) }
        clock.advance(by: .minutes(20))
        guard case .budgetUsedUp(let wait) = maker(http).sources(for: settings(key: "a"))[0].refusal() else {
            Issue.record("the calls are forgotten")
            return
        }
        #expect(wait >= .minutes(40) && wait < .minutes(40) + .seconds(1))
    }
}
