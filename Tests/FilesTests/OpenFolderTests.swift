import Files
import Foundation
import TestSupport
import Testing

struct OpenFolderTests {
    /// A folder with things in it, and something secret beside it.
    private struct Ground {
        private let place: TemporaryFolder
        var base: String { place.path }
        var inside: String { base + "/in" }

        init() throws {
            place = try TemporaryFolder()
            let files = FileManager.default
            try files.createDirectory(atPath: base + "/in/birds", withIntermediateDirectories: true)
            try files.createDirectory(atPath: base + "/in-too", withIntermediateDirectories: true)
            for (name, text) in [
                ("in/a.gif", "a"), ("in/birds/b.gif", "b"), ("secret.gif", "secret"), ("in-too/c.gif", "secret"),
            ] { try Data(text.utf8).write(to: URL(fileURLWithPath: base + "/" + name)) }
        }

        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(atPath: base + "/" + name, withDestinationPath: target)
        }

        func read(_ name: String, in folder: String? = nil) -> String? {
            guard let bytes = try? OpenFolder(folder ?? inside).file(name).bytes(atMost: 100) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test("Files in the folder and below it are opened; nothing else by its name")
    func names() throws {
        let ground = try Ground()
        #expect(ground.read("a.gif") == "a" && ground.read("birds/b.gif") == "b")
        for name in [
            "../secret.gif", "birds/../../secret.gif", ground.base + "/secret.gif", "", ".", "..", "/a.gif",
            "birds//b.gif",
            "none.gif", "a.gif/x", "birds/./b.gif",
        ] { #expect(ground.read(name) == nil, "\(name)") }
        #expect(throws: FileError.system(code: ENOENT)) { try OpenFolder(ground.base + "/none") }
        #expect(throws: FileError.system(code: ENOTDIR)) { try OpenFolder(ground.base + "/secret.gif") }
    }

    @Test("A link that leads out is as good as no file; one that stays inside is followed")
    func links() throws {
        let ground = try Ground()
        for (name, target) in [
            ("out.gif", "../secret.gif"), ("far.gif", ground.base + "/secret.gif"),
            ("beside.gif", ground.base + "/in-too/c.gif"),
            ("way", ".."), ("round.gif", "round.gif"), ("twice.gif", "out.gif"), ("birds/up.gif", "../../secret.gif"),
            ("device.gif", "/dev/zero"),
        ] { try ground.link("in/" + name, to: target) }
        for name in [
            "out.gif", "far.gif", "beside.gif", "way/secret.gif", "round.gif", "twice.gif", "birds/up.gif",
            "device.gif",
            "way/in-too/c.gif",
        ] { #expect(ground.read(name) == nil, "\(name)") }
        for (name, target) in [
            ("near.gif", "birds/b.gif"), ("absolute.gif", ground.inside + "/birds/b.gif"), ("also", "birds"),
            ("birds/back.gif", "../birds/b.gif"), ("around.gif", "../in/birds/b.gif"),
        ] { try ground.link("in/" + name, to: target) }
        for name in ["near.gif", "absolute.gif", "also/b.gif", "birds/back.gif", "around.gif"] {
            #expect(ground.read(name) == "b", "\(name)")
        }
    }

    @Test("A folder that is reached by a link is as good as another")
    func linkedRoot() throws {
        let ground = try Ground()
        try ground.link("also", to: ground.inside)
        try ground.link("in/absolute.gif", to: ground.base + "/also/birds/b.gif")
        try ground.link("in/out.gif", to: "../secret.gif")
        #expect(ground.read("a.gif", in: ground.base + "/also") == "a")
        #expect(ground.read("absolute.gif", in: ground.base + "/also") == "b")
        #expect(ground.read("out.gif", in: ground.base + "/also") == nil)
    }

    @Test("What stands open is closed again")
    func descriptors() throws {
        let ground = try Ground()
        try ground.link("in/out.gif", to: "../secret.gif")
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<100 { for name in ["a.gif", "birds/b.gif", "out.gif", "none/x.gif"] { _ = ground.read(name) } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count == before)
    }
}
