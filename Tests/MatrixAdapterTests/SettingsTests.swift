import Base
import Testing

@testable import MatrixAdapter

private func scalar(_ text: String) -> ConfigNode { ConfigNode(.scalar(text, isPlain: true), at: place) }
private let place = ConfigPlace(line: 3, column: 5)

private func map(_ entries: [(String, ConfigNode)]) -> ConfigNode {
    ConfigNode(.map(entries.map { (ConfigNode.ConfigKey(name: $0.0, place: place), $0.1) }), at: place)
}

private func list(_ items: [ConfigNode]) -> ConfigNode { ConfigNode(.list(items), at: place) }

private let usual: [(String, ConfigNode)] = [
    ("name", scalar("home")), ("homeserver", scalar("https://matrix.example.org/")),
    ("user", scalar("@gifbot:example.org")), ("access_token", scalar("T0KEN")),
]

private struct Decoded {
    var settings: MatrixAccountSettings?
    var rooms: [MatrixAccountSettings.RoomEntry] = []
    var faults: [ConfigFault]
    var unfinished: [ConfigFault]
}

/// Decodes the usual entry with some keys put in the place of others; a nil takes a key away.
private func decode(_ changes: [(String, ConfigNode?)]) -> Decoded {
    let context = ConfigContext(folder: "/etc", environment: { _ in nil }, readFile: { _ in "FILE\n" })
    let kept = usual.filter { entry in !changes.contains { $0.0 == entry.0 } }
    let node = map(kept + changes.compactMap { change in change.1.map { (change.0, $0) } })
    guard let map = ConfigMap(node, path: "matrix[0]", in: context) else { preconditionFailure() }
    let decoded = MatrixAccountSettings.decode(map)
    let faults = context.faults
    map.finish()
    return Decoded(
        settings: decoded?.settings, rooms: decoded?.rooms ?? [], faults: faults,
        unfinished: Array(context.faults.dropFirst(faults.count)))
}

@Suite struct SettingsTests {
    @Test func whole() {
        let decoded = decode([
            ("display_name", scalar("GIF Bot")), ("device_name", scalar("gif box")), ("encryption", scalar("true")),
            ("typing", scalar("false")), ("buttons", scalar("true")), ("send_within", scalar("2m")),
            ("cross_signed_only", scalar("true")),
            ("avatar", scalar("a.png")),
            ("invites", map([("accept", list([scalar("example.org")]))])),
            ("rooms", list([scalar("!abc"), map([("name", scalar("#cats:example.org")), ("rating", scalar("pg"))])])),
        ])
        #expect(decoded.faults.isEmpty && decoded.unfinished.isEmpty)
        var expected = MatrixAccountSettings(
            name: "home", homeserver: "https://matrix.example.org", user: "@gifbot:example.org",
            signIn: .accessToken(Secret("T0KEN")), displayName: "GIF Bot", deviceName: "gif box",
            invites: .servers(["example.org"]), rooms: ["!abc", "#cats:example.org"])
        expected.typing = false
        expected.crossSignedOnly = true
        expected.buttons = true
        expected.sendWithin = .minutes(2)
        expected.avatar = "/etc/a.png"
        #expect(decoded.settings == expected)
        #expect(decode([("avatar", scalar("mxc://example.org/abc"))]).settings?.avatar == "mxc://example.org/abc")
        #expect(decoded.rooms.map(\.name) == ["!abc", "#cats:example.org"])
        #expect(decoded.rooms[0].map == nil && decoded.rooms[1].map?.text("rating") == "pg")
    }

    @Test func password() {
        let decoded = decode([("access_token", nil), ("password_file", scalar("pw"))])
        #expect(decoded.settings?.signIn == .password(Secret("FILE")) && decoded.settings?.invites == .admins)
    }

    @Test("With the user alone the server is looked for, and the device is one of gifbot login")
    func userAlone() {
        let decoded = decode([("access_token", nil), ("homeserver", nil)])
        #expect(decoded.faults.isEmpty && decoded.settings?.signIn == .stored)
        #expect(decoded.settings?.homeserver == nil && decoded.settings?.user == "@gifbot:example.org")
    }

    @Test(
        "What is wrong is told with its key",
        arguments: [
            ([("homeserver", scalar("http://matrix.example.org"))], "homeserver"),
            ([("homeserver", scalar("matrix.example.org"))], "homeserver"),
            ([("homeserver", scalar("https://me:pw@matrix.example.org"))], "homeserver"),
            ([("homeserver", scalar("http://127.0.0.1.evil.example"))], "homeserver"),
            ([("homeserver", nil), ("user", nil)], "homeserver"), ([("name", nil)], "name"),
            ([("name", scalar("a/b"))], "name"),
            ([("user", scalar("gifbot"))], "user"),
            ([("user", nil), ("access_token", nil), ("password", scalar("x"))], "user"),
            ([("password", scalar("x"))], "password"), ([("access_token", nil), ("user", nil)], "access_token"),
            ([("access_token", scalar("two\r\nlines"))], "access_token"),
            ([("rooms", list([scalar("cats")]))], "rooms[0]"),
            ([("rooms", list([scalar("!a"), scalar("!a")]))], "rooms[1]"),
            ([("rooms", list([map([("rating", scalar("g"))])]))], "rooms[0].name"),
            ([("invites", map([("accept", scalar("friends"))]))], "invites.accept"),
            ([("invites", map([("accept", scalar("never")), ("x", scalar("y"))]))], "invites.x"),
            ([("encryption", scalar("maybe"))], "encryption"),
            ([("cross_signed_only", scalar("perhaps"))], "cross_signed_only"),
        ] as [([(String, ConfigNode?)], String)])
    func faults(changes: [(String, ConfigNode?)], path: String) {
        let decoded = decode(changes)
        #expect(decoded.faults.map(\.path) == ["matrix[0]." + path])
        #expect(decoded.faults.allSatisfy { !$0.message.contains("T0KEN") })
    }

    @Test(
        "Plain http goes to loopback alone",
        arguments: [
            "http://127.0.0.1:8008", "http://localhost:8008/", "http://[::1]:8008", "https://example.org/matrix",
        ])
    func homeservers(address: String) {
        #expect(decode([("homeserver", scalar(address))]).faults.isEmpty)
    }
}
