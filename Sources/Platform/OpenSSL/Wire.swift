import COpenSSL

/// The two ends of a TLS session's wire, as a BIO: reads come straight from the bytes handed in for the present call
/// (a memory BIO would copy them first), writes go to a queue.
final class Wire {
    /// Valid only during the call that set it.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    let output = ByteQueue()

    /// One for the process; OpenSSL keeps only the pointer.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let method = BIO_meth_new(Int32(BIO_get_new_index()) | BIO_TYPE_SOURCE_SINK, "gifbot")
        BIO_meth_set_create(method) { bio in
            BIO_set_init(bio, 1)
            return 1
        }
        BIO_meth_set_read(method) { bio, buffer, count in Wire.of(bio)?.read(bio, buffer, count) ?? -1 }
        BIO_meth_set_write(method) { bio, bytes, count in Wire.of(bio)?.write(bytes, count) ?? -1 }
        // Nothing is held back in a queue, so a flush is done at once; no other request matters.
        BIO_meth_set_ctrl(method) { _, request, _, _ in request == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()

    /// A BIO that must not outlive this object.
    func bio() -> OpaquePointer? {
        guard let bio = BIO_new(Self.method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        return bio
    }

    private static func of(_ bio: OpaquePointer?) -> Wire? {
        BIO_get_data(bio).map { Unmanaged<Wire>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bio: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
        shim_BIO_clear_retry_flags(bio)
        let taken = min(input.count, Int(count))
        guard taken > 0, let buffer, let source = input.baseAddress else {
            shim_BIO_set_retry_read(bio)
            return -1
        }
        UnsafeMutableRawPointer(buffer).copyMemory(from: source, byteCount: taken)
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        return Int32(taken)
    }

    private func write(_ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
        output.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return count
    }
}
