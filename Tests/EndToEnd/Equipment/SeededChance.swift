import Foundation

/// Chance that can be had again: by default another one each time, printed by the test; `GIFBOT_SEED` gives one that failed.
struct SeededChance: RandomNumberGenerator {
    static var seed: UInt64 {
        ProcessInfo.processInfo.environment["GIFBOT_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    }

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
