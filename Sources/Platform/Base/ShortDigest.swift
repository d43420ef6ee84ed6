/// 64 bits that tell texts apart (FNV-1a), for names of files, tables and pictures. No protection against one who looks for two
/// that are alike.
public func shortDigest(_ text: String) -> UInt64 {
    var copy = text
    return copy.withUTF8 { shortDigest($0) }
}

/// Of a text's UTF-8, or of any bytes.
public func shortDigest(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
