import Base
import Bot
import Chat
import GiphySearch
import Foundation
import MatrixAdapter
import State
import TestSupport

/// A state folder that is gone when the test is, with the clock and log of the program that would use it.
final class Scratch: Sendable {
    let folder = TemporaryFolder.nextPath()
    let clock = ManualClock()
    let log = RecordingLog()

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func file(_ name: String) -> String { folder + "/" + name }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int
    }

    @Loop func open() throws(StateError) -> StateStore {
        try StateStore.open(folder: folder, clock: clock, log: Log("test", to: log))
    }

    /// What a killed process leaves: the files as they are now, without the lock.
    func killed() throws -> Scratch {
        let copy = Scratch()
        try FileManager.default.createDirectory(atPath: copy.folder, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name != "gifbot.db-shm" {
            try FileManager.default.copyItem(atPath: file(name), toPath: copy.file(name))
        }
        return copy
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    }
}

let cats = Conversation(network: "libera", name: "#cats", isDirect: false)
let ada = Conversation(network: "libera", name: "ada", isDirect: true)

extension StateStore {
    /// Everything it tells about the fixtures, for comparing one store with another.
    func summary(_ clock: ManualClock) -> [String] {
        [
            "\(shown(in: cats))", "\(shown(in: ada))", "\(wasAnswered("$a", in: "home"))",
            "\(calls(of: "giphy", since: WallTime(milliseconds: 0)).map(\.at.milliseconds))",
            syncPosition(of: "home") ?? "-",
            "\(upgrades(of: "home"))",
            session(of: "home").map { "\($0.userID) \($0.deviceID) \($0.accessToken.value)" } ?? "-",
        ]
    }
}
