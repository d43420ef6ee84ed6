import JSON

/// Reader and writer: what was read and written reads the same again.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = Input(data, size)
    guard let value = try? JSONValue(parsing: input.bytes) else { return 0 }
    // Canonical JSON has no fractions and no large numbers, so not every value can be written.
    guard let written = try? JSONWriter.canonical(value) else { return 0 }
    guard let again = try? JSONValue(parsing: written) else { fatalError("what is written can be read") }
    must((try? JSONWriter.canonical(again)) == written, "canonical text is stable")
    return 0
}
