/// One input of libFuzzer, as the targets take it.
struct Input {
    let bytes: [UInt8]

    init(_ data: UnsafePointer<UInt8>?, _ size: Int) { bytes = Array(UnsafeBufferPointer(start: data, count: size)) }

    /// Where to cut it for a second reading: taken from the input, so that a finding can be repeated.
    var cut: Int { bytes.isEmpty ? 0 : Int(bytes[bytes.count / 2]) % bytes.count }
}

/// A rule that must hold for every input. Ends the process, which is what libFuzzer looks for.
func must(_ holds: Bool, _ rule: StaticString) {
    if !holds { fatalError("\(rule)") }
}
