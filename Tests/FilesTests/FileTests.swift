import Files
import Foundation
import Testing

struct FileTests {
    /// A folder that goes with the test.
    private final class Ground {
        let folder = NSTemporaryDirectory() + "gifbot-files-" + UUID().uuidString

        init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func path(_ name: String) -> String { folder + "/" + name }

        func bytes(_ name: String, atMost limit: Int = 100) throws(FileError) -> [UInt8] {
            try FileDescriptor(opening: path(name)).bytes(atMost: limit)
        }
    }

    @Test("A file is read whole or not at all")
    func whole() throws {
        let ground = try Ground()
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try makeFile(ground.path("long"), of: long, mode: 0o600)
        #expect(try ground.bytes("long", atMost: 200_000) == long)
        #expect(throws: FileError.tooLarge(limit: 199_999)) { try ground.bytes("long", atMost: 199_999) }
        #expect(throws: FileError.tooLarge(limit: 10)) { try ground.bytes("long", atMost: 10) }
        try makeFile(ground.path("empty"), of: [], mode: 0o600)
        #expect(try ground.bytes("empty", atMost: 0) == [])
        #expect(throws: FileError.system(code: ENOENT)) { try ground.bytes("none") }
        #expect(throws: FileError.system(code: EISDIR)) { try ground.bytes("") }
        // A regular file of which each read fails.
        #expect(throws: FileError.system(code: EIO)) {
            try FileDescriptor(opening: "/proc/self/mem").bytes(atMost: 100)
        }
    }

    @Test("A file is made for whom it may concern, and never over another")
    func made() throws {
        let ground = try Ground()
        try makeFile(ground.path("key"), of: [1, 2, 3], mode: 0o600)
        let mode = try FileManager.default.attributesOfItem(atPath: ground.path("key"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: FileError.system(code: EEXIST)) { try makeFile(ground.path("key"), of: [4], mode: 0o600) }
        #expect(try ground.bytes("key") == [1, 2, 3])
        #expect(throws: FileError.system(code: ENOENT)) { try makeFile(ground.path("a/b"), of: [4], mode: 0o600) }
    }

    @Test("A full disk is an error, not a shorter file")
    func full() {
        #expect(throws: FileError.system(code: ENOSPC)) {
            try FileDescriptor(opening: "/dev/full", O_WRONLY).write([1, 2, 3])
        }
        #expect(FileError.system(code: ENOSPC).description == "No space left on device")
    }

    @Test("A listing has every name, and no name for what isn't UTF-8")
    func listing() throws {
        let ground = try Ground()
        try makeFile(ground.path("ü.gif"), of: [], mode: 0o600)
        try FileManager.default.createDirectory(atPath: ground.path("folder"), withIntermediateDirectories: true)
        let odd = Array((ground.folder + "/x").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
        close(open(odd, O_CREAT | O_WRONLY, 0o600))
        let entries = try Array(FolderListing(ground.folder))
        #expect(Set(entries.map(\.name)) == [".", "..", "ü.gif", "folder", nil])
        #expect(entries.filter { $0.isFolder != false }.compactMap(\.name).sorted() == [".", "..", "folder"])
        #expect(throws: FileError.system(code: ENOENT)) { try FolderListing(ground.path("none")) }
        #expect(throws: FileError.system(code: ENOTDIR)) { try FolderListing(ground.path("ü.gif")) }
    }

    @Test("A stamp tells a file from what takes its place, and from itself with other bytes")
    func stamps() throws {
        let ground = try Ground()
        let path = ground.path("a")
        try makeFile(path, of: [1], mode: 0o600)
        let first = try FileStamp(of: path)
        #expect(try first == FileDescriptor(opening: path).stamp() && first.isFile && first.bytes == 1)
        #expect(abs(first.seconds - Int(Date().timeIntervalSince1970)) < 60)
        try FileDescriptor(opening: path, O_WRONLY | O_APPEND).write([2])
        let second = try FileStamp(of: path)
        #expect(second != first)
        try makeFile(ground.path("b"), of: [1, 2], mode: 0o600)
        #expect(rename(ground.path("b"), path) == 0)
        #expect(try FileStamp(of: path) != second)
        #expect(try FileStamp(of: ground.folder).isFolder)
        #expect(throws: FileError.system(code: ENOENT)) { try FileStamp(of: ground.path("b")) }
    }
}
