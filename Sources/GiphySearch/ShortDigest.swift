/// 64 bits that tell texts apart (FNV-1a), for names in files and tables. No protection against one who looks for two that are
/// alike.
public func shortDigest(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
