import Images

/// Headers of GIF, WebP, PNG and MP4 files.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = Input(data, size)
    for isWhole in [true, false] {
        guard let header = ImageHeader.parse(input.bytes, isWhole: isWhole) else { continue }
        must(header.width > 0 && header.height > 0, "dimensions are never 0")
    }
    return 0
}
