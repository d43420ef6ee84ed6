import Foundation
import Synchronization

/// A folder for one test, gone when nobody holds it any more.
///
/// All of a process lie in one folder, which goes when the process ends: so does what was written late, or by a test that held its
/// folder to the end. What a killed process has left goes at the next run.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() throws {
        path = Self.nextPath()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// For somebody else to make.
    public static func nextPath() -> String {
        processFolder + "/" + String(count.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    public func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self)
    }

    private static let count = Atomic<Int>(0)
    private static let prefix = "gifbot-tests-"

    private static let processFolder: String = {
        let files = FileManager.default
        let all = files.temporaryDirectory.path
        for name in (try? files.contentsOfDirectory(atPath: all)) ?? [] where isLeft(name) {
            try? files.removeItem(atPath: all + "/" + name)
        }
        let own = all + "/" + prefix + String(getpid())
        try? files.createDirectory(atPath: own, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: TemporaryFolder.processFolder) }
        return own
    }()

    /// By a process that is no more, or by one of the same number.
    private static func isLeft(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count)) else { return false }
        return process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
    }
}
