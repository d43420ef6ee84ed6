import Glibc

/// Cuts a stream of bytes into lines. A line may come in pieces or many at once, and end in LF or CR LF.
public struct LineFramer: Sendable {
    /// 8191 bytes of tags, with the `@` and the space, and 512 of the rest (message-tags, size limit).
    public static let limit = 8191 + 512

    private var begun: [UInt8] = []
    private var isDiscarding = false
    /// Lines that were longer than the limit: thrown away up to their end, so the connection goes on.
    public private(set) var overlongLines = 0

    public init() {}

    /// Hands each whole line, without its end, to `line`. Empty lines are left out. A line that lies in the bytes
    /// whole is handed on without a copy.
    public mutating func append(_ bytes: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) -> Void) {
        guard let base = bytes.baseAddress else { return }
        var start = 0
        while start < bytes.count {
            guard let found = memchr(base + start, 0x0A, bytes.count - start) else {
                keep(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                return
            }
            let end = found - UnsafeMutableRawPointer(mutating: base)
            finish(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), line)
            start = end + 1
        }
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        if isDiscarding { return }
        if begun.count + piece.count > Self.limit {
            discard()
        } else {
            begun.append(contentsOf: piece)
        }
    }

    private mutating func discard() {
        isDiscarding = true
        overlongLines += 1
        begun.removeAll(keepingCapacity: true)
    }

    private mutating func finish(_ piece: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) -> Void) {
        if isDiscarding {
            isDiscarding = false
            return
        }
        if begun.count + piece.count > Self.limit {
            overlongLines += 1
            begun.removeAll(keepingCapacity: true)
            return
        }
        if begun.isEmpty {
            deliver(piece, line)
        } else {
            begun.append(contentsOf: piece)
            begun.withUnsafeBytes { deliver($0, line) }
            begun.removeAll(keepingCapacity: true)
        }
    }

    private func deliver(_ piece: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) -> Void) {
        var length = piece.count
        if length > 0, piece[length - 1] == 0x0D { length -= 1 }
        if length > 0 { line(UnsafeRawBufferPointer(rebasing: piece[..<length])) }
    }
}
