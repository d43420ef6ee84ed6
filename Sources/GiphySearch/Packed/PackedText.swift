import JSON

/// A text that goes into a GIF's bytes, wherever it lies until then.
protocol PackedText {
    /// Exact, or more.
    var mostBytes: Int { get }
    /// UTF-8, well formed.
    func withBytes<Output>(_ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output
}

extension String: PackedText {
    var mostBytes: Int { utf8.count }

    func withBytes<Output>(_ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output {
        var copy = self
        return copy.withUTF8(body)
    }
}

/// Read from a source's answer without a copy.
extension JSONText: PackedText {}
