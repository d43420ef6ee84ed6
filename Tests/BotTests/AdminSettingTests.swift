import Base
import Chat
import GiphySearch
import RateLimiter
import Testing

@testable import Bot

@Suite struct AdminSettingTests {
    @Test(
        "What is stored is read again",
        arguments: [
            "on", "off", "rating pg-13", "limit user 5/1m", "limit user_in_channel 20/1h burst 5", "limit global off",
            "deny two words", "undeny x",
        ])
    func text(_ text: String) {
        #expect(AdminSetting(text: text)?.text == text)
    }

    @Test("What isn't known is none", arguments: ["", "limit", "limit dog 1/1m", "limit user", "dance", "rating x"])
    func unknown(_ text: String) {
        #expect(AdminSetting(text: text) == nil)
    }

    @Test(arguments: [
        ("5/1m", "10/1m", "5/1m"), ("10/1m", "5/1m", "5/1m"), ("20/1m burst 2", "5/1m", "5/1m burst 2"),
        ("1/1h burst 9", "2/1h", "1/1h burst 2"),
    ])
    func tightened(_ a: String, _ b: String, _ result: String) throws {
        let (a, b) = (try RateLimitRule(parsing: a), try RateLimitRule(parsing: b))
        #expect(a.tightened(by: b) == (try RateLimitRule(parsing: result)))
        #expect(b.tightened(by: a) == (try RateLimitRule(parsing: result)))
    }

    @Test(arguments: [
        (0, "1970-01-01 00:00"), (1_796_054_700_000, "2026-11-30 16:05"), (951_782_400_000, "2000-02-29 00:00"),
        (-1, "1969-12-31 23:59"), (4_107_542_399_999, "2100-02-28 23:59"),
    ])
    func dates(_ milliseconds: Int64, _ text: String) {
        #expect(DateText.minute(WallTime(milliseconds: milliseconds)) == text)
    }
}

@Suite struct AdminReportTests {
    @Test func whatCheckShows() throws {
        var record = AdminRecord()
        let cats = AdminChange.Reach.channel(network: "net", name: "#cats")
        for (number, setting, reach, isByAdmin) in [
            (1, "limit user 3/1m", cats, false), (2, "rating pg", cats, true),
            (3, "limit network 7/1m", .network("net"), true),
        ] as [(Int64, String, AdminChange.Reach, Bool)] {
            record.apply(
                .changed(
                    AdminChange(
                        number: number, reach: reach, setting: try #require(AdminSetting(text: setting)),
                        isByAdmin: isByAdmin, who: "net/bo", at: WallTime(milliseconds: 0))))
        }
        let here = Conversation(network: "net", name: "#cats", isDirect: false)
        let (settings, changes) = BotSettings().settings(for: here, under: record)
        #expect(changes.map(\.number) == [3, 1, 2])
        #expect(settings.limits.user?.text == "3/1m" && settings.limits.network?.text == "7/1m")
        #expect(settings.rating == .pg)
    }
}
