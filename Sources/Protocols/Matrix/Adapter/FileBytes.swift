import Base
import Files
import Glibc
import HTTP

/// Reads files on a queue of its own, so that a slow disk never holds the loop.
actor FileBytes {
    enum Failure: Error, Equatable {
        case unreadable
        case tooLarge
    }

    private nonisolated let queue = QueueExecutor(label: "media files")

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// The whole file, and what `look` makes of its bytes. The flag keeps a named pipe from blocking for ever.
    func read<Output: Sendable>(
        _ path: String, upTo limit: Int, _ look: @Sendable ([UInt8]) -> Output
    ) throws(Failure) -> Output {
        try read(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), upTo: limit, look)
    }

    /// The same of a file that lies in a folder or below it, and nowhere else by any link.
    func read<Output: Sendable>(
        _ name: String, below folder: String, upTo limit: Int, _ look: @Sendable ([UInt8]) -> Output
    ) throws(Failure) -> Output {
        try read(OpenFolder(folder)?.file(name) ?? -1, upTo: limit, look)
    }

    private func read<Output: Sendable>(
        _ descriptor: Int32, upTo limit: Int, _ look: @Sendable ([UInt8]) -> Output
    ) throws(Failure) -> Output {
        guard descriptor >= 0 else { throw .unreadable }
        defer { close(descriptor) }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        let count = Int(info.st_size)
        guard count <= limit else { throw .tooLarge }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = Glibc.read(descriptor, buffer.baseAddress! + filled, count - filled)
                guard got > 0 else { return }
                filled += got
            }
        }
        return look(bytes)
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
