import Base
import Foundation
import Net
import TestSupport
import Testing

/// A folder of files that is watched for the time of a test.
@Loop private final class Scene {
    private nonisolated let place: TemporaryFolder
    nonisolated var folder: String { place.path }
    private var watcher: FileWatcher?
    private var changes = 0
    private var told: Gate?

    init(_ paths: [String], writing: Duration = .seconds(30), prepare: (String) throws -> Void) throws {
        place = try TemporaryFolder()
        let folder = place.path
        try prepare(folder)
        let settling = FileWatcher.Settling(quiet: .milliseconds(40), writing: writing)
        let watcher = try FileWatcher(on: TestLoop.shared, settling: settling) { [weak self] in
            self?.changes += 1
            self?.told?.open()
        }
        self.watcher = watcher
        try watcher.watch(paths.map { folder + "/" + $0 })
    }

    /// Waits for the next change to be told; false when none comes.
    func changeTold(within limit: Duration = .seconds(10)) async -> Bool {
        let end = TestLoop.shared.now.advanced(by: limit)
        while changes == 0, TestLoop.shared.now < end {
            let gate = Gate(clock: TestLoop.shared)
            told = gate
            await gate.wait(by: end)
        }
        defer { changes = 0 }
        return changes == 1
    }

    func end() {
        watcher?.cancel()
    }
}

private func write(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

private func link(_ path: String, to target: String) throws {
    guard symlink(target, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
}

private func rename(_ from: String, _ to: String) throws {
    guard Glibc.rename(from, to) == 0 else { throw CocoaError(.fileWriteUnknown) }
}

@Suite("File watcher", .serialized, .timeLimit(.minutes(5)))
struct FileWatcherTests {
    /// How a file is changed, from a folder with `bot.yaml` in it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let prepare: @Sendable (String) throws -> Void
        let change: @Sendable (String) throws -> Void

        init(
            _ name: String, path: String = "bot.yaml",
            prepare: @escaping @Sendable (String) throws -> Void = { try write("old", $0 + "/bot.yaml") },
            change: @escaping @Sendable (String) throws -> Void
        ) {
            testDescription = name
            self.path = path
            self.prepare = prepare
            self.change = change
        }
    }

    static let changes = [
        Change("written in place") { folder in
            let file = try #require(FileHandle(forWritingAtPath: folder + "/bot.yaml"))
            file.truncateFile(atOffset: 0)
            file.write(Data("new".utf8))
            try file.close()
        },
        Change("a rename over it") { folder in
            try write("new", folder + "/bot.yaml.new")
            try rename(folder + "/bot.yaml.new", folder + "/bot.yaml")
        },
        Change("away and back, as some editors do") { folder in
            try rename(folder + "/bot.yaml", folder + "/bot.yaml~")
            try write("new", folder + "/bot.yaml")
        },
        Change("removed") { try FileManager.default.removeItem(atPath: $0 + "/bot.yaml") },
        Change("made where none was", prepare: { _ in }) { try write("new", $0 + "/bot.yaml") },
        Change("permissions") { chmod($0 + "/bot.yaml", 0o600) },
        Change(
            "a link swapped",
            prepare: { folder in
                try write("old", folder + "/one")
                try write("new", folder + "/two")
                try link(folder + "/bot.yaml", to: "one")
            }
        ) { folder in
            try link(folder + "/next", to: "two")
            try rename(folder + "/next", folder + "/bot.yaml")
        },
        Change(
            "what a link leads to",
            prepare: { folder in
                try FileManager.default.createDirectory(atPath: folder + "/far", withIntermediateDirectories: true)
                try write("old", folder + "/far/real")
                try link(folder + "/bot.yaml", to: folder + "/far/real")
            }
        ) { try write("new", $0 + "/far/real") },
        Change(
            "a linked folder swapped, as Kubernetes does",
            prepare: { folder in
                for name in ["..1", "..2"] {
                    try FileManager.default.createDirectory(
                        atPath: folder + "/" + name, withIntermediateDirectories: true)
                    try write(name, folder + "/" + name + "/bot.yaml")
                }
                try link(folder + "/..data", to: "..1")
                try link(folder + "/bot.yaml", to: "..data/bot.yaml")
            }
        ) { folder in
            try link(folder + "/..data_tmp", to: "..2")
            try rename(folder + "/..data_tmp", folder + "/..data")
            try FileManager.default.removeItem(atPath: folder + "/..1")
        },
        Change(
            "the folder replaced", path: "etc/bot.yaml",
            prepare: { folder in
                for name in ["etc", "new"] {
                    try FileManager.default.createDirectory(
                        atPath: folder + "/" + name, withIntermediateDirectories: true)
                    try write(name, folder + "/" + name + "/bot.yaml")
                }
            }
        ) { folder in
            try rename(folder + "/etc", folder + "/old")
            try rename(folder + "/new", folder + "/etc")
        },
        Change("the folder made late", path: "a/b/bot.yaml", prepare: { _ in }) { folder in
            try FileManager.default.createDirectory(atPath: folder + "/a/b", withIntermediateDirectories: true)
            try write("new", folder + "/a/b/bot.yaml")
        },
    ]

    @Test("A change is told once, and so is the next one", arguments: changes)
    func told(_ change: Change) async throws {
        let scene = try await Scene([change.path], prepare: change.prepare)
        try change.change(scene.folder)
        #expect(await scene.changeTold())
        // What the path leads to now is watched as well as what it led to before.
        let path = scene.folder + "/" + change.path
        try? FileManager.default.removeItem(atPath: path)
        try write("newer still", path)
        #expect(await scene.changeTold())
        await scene.end()
    }

    @Test("BUG-29: a half-written file is not told before it is closed")
    func halfWritten() async throws {
        let scene = try await Scene(["bot.yaml"]) { try write("old", $0 + "/bot.yaml") }
        let file = try #require(FileHandle(forWritingAtPath: scene.folder + "/bot.yaml"))
        file.write(Data("half".utf8))
        #expect(await !scene.changeTold(within: .milliseconds(200)))
        file.write(Data(" and all".utf8))
        try file.close()
        #expect(await scene.changeTold())
        await scene.end()
    }

    @Test("A file that is held open for writing for ever is told after a while")
    func neverClosed() async throws {
        let scene = try await Scene(["bot.yaml"], writing: .milliseconds(80)) { try write("old", $0 + "/bot.yaml") }
        let file = try #require(FileHandle(forWritingAtPath: scene.folder + "/bot.yaml"))
        file.write(Data("all".utf8))
        #expect(await scene.changeTold())
        try file.close()
        await scene.end()
    }

    @Test("Neighbours in the folder are nobody's business; of several files each counts")
    func neighbours() async throws {
        let scene = try await Scene(["bot.yaml", "secrets/key"]) { folder in
            try write("old", folder + "/bot.yaml")
            try FileManager.default.createDirectory(atPath: folder + "/secrets", withIntermediateDirectories: true)
        }
        try write("x", scene.folder + "/bot.log")
        #expect(await !scene.changeTold(within: .milliseconds(150)))
        try write("k", scene.folder + "/secrets/key")
        #expect(await scene.changeTold())
        await scene.end()
    }

    @Test("Links that lead in a circle end the way")
    func circle() async throws {
        let scene = try await Scene(["bot.yaml"]) { folder in
            try link(folder + "/bot.yaml", to: "other")
            try link(folder + "/other", to: "bot.yaml")
        }
        try FileManager.default.removeItem(atPath: scene.folder + "/bot.yaml")
        try write("new", scene.folder + "/bot.yaml")
        #expect(await scene.changeTold())
        await scene.end()
    }
}
