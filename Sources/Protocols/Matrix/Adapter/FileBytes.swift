import Base
import Files
import Glibc
import HTTP

/// Reads files on a queue of its own, so that a slow disk never holds the loop.
actor FileBytes {
    private nonisolated let queue = QueueExecutor(label: "media files")

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// The whole file, and what `look` makes of its bytes. The flag keeps a named pipe from blocking for ever.
    func read<Output: Sendable>(
        _ path: String, upTo limit: Int, _ look: @Sendable ([UInt8]) -> Output
    ) throws(FileError) -> Output {
        look(try Self.bytes(of: FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK), upTo: limit))
    }

    /// The same of a file that lies in a folder or below it, and nowhere else by any link.
    func read<Output: Sendable>(
        _ name: String, below folder: String, upTo limit: Int, _ look: @Sendable ([UInt8]) -> Output
    ) throws(FileError) -> Output {
        look(try Self.bytes(of: OpenFolder(folder).file(name), upTo: limit))
    }

    private static func bytes(of file: borrowing FileDescriptor, upTo limit: Int) throws(FileError) -> [UInt8] {
        let stamp = try file.stamp()
        guard stamp.isFile else { throw .notAFile }
        guard stamp.bytes <= limit else { throw .tooLarge(limit: limit) }
        return try file.bytes(atMost: limit)
    }

    /// The path of a `file:` address on this machine.
    nonisolated static func path(of url: String) -> String? {
        guard url.hasPrefix("file:///") else { return nil }
        var out: [UInt8] = []
        var bytes = Array(url.utf8)[7...]
        while let byte = bytes.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                out.append(byte)
                continue
            }
            guard bytes.count >= 2, let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16),
                value != 0
            else { return nil }
            out.append(value)
            bytes = bytes.dropFirst(2)
        }
        return String(validating: out, as: UTF8.self)
    }
}
