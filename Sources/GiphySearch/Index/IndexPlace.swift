import Base
import Files
import Glibc

/// Where the index of a folder lies: in the folder itself where it can be written, else in the state folder.
public struct IndexPlace: Sendable {
    static let name = ".gifbot-index.sqlite"

    /// Absolute, without links.
    public let folder: String
    let inside: String
    /// Nil without a state folder.
    let beside: String?

    /// Nil when there is no such folder; `errno` tells why.
    public init?(folder: String, stateFolder: String?) {
        // A file has no place inside.
        guard let real = realpath(folder + "/.", nil) else { return nil }
        defer { free(real) }
        self.init(realFolder: String(cString: real), stateFolder: stateFolder)
    }

    init(realFolder: String, stateFolder: String?) {
        folder = realFolder
        inside = realFolder + "/" + Self.name
        // One state may serve several folders.
        let digest = shortDigest(realFolder)
        beside = stateFolder.map { $0 + "/index-" + String(digest, radix: 16) + ".sqlite" }
    }

    /// The index that is there; the one in the folder counts first, unless it is a link that leads out of it.
    var found: String? {
        if access(inside, R_OK) == 0, isInside { return inside }
        return beside.flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }

    private var isInside: Bool {
        do throws(FileError) {
            _ = try OpenFolder(folder).file(Self.name)
            return true
        } catch {
            return false
        }
    }

    /// Where one can be written.
    var writable: String? {
        if access(folder, W_OK) == 0 { return inside }
        guard let beside, let slash = beside.lastIndex(of: "/") else { return nil }
        let state = String(beside[..<slash])
        return mkdir(state, 0o700) == 0 || access(state, W_OK) == 0 ? beside : nil
    }
}
