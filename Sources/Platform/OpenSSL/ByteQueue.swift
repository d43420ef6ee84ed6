/// Bytes on their way out, taken from the front in pieces. Whoever fills it sees to the bound.
public final class ByteQueue {
    private var bytes: [UInt8] = []
    private var head = 0

    public init() {}

    public var count: Int { bytes.count - head }

    public func append(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more)
    }

    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    }

    /// Forgets the first `count` bytes.
    public func drop(_ count: Int) {
        head += count
        if head == bytes.count {
            // A burst's memory isn't kept.
            bytes.removeAll(keepingCapacity: bytes.capacity <= 64 << 10)
            head = 0
        } else if head >= 64 << 10 {
            bytes.removeFirst(head)
            head = 0
        }
    }

    /// Takes everything out.
    public func take() -> [UInt8] {
        defer { drop(count) }
        return Array(bytes[head...])
    }
}
