/// SplitMix64: small, seeded by the caller, and repeatable in tests. For spreading waits, not for secrets.
struct Randomness: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A wait made a third shorter to a third longer.
    mutating func spread(_ wait: Duration) -> Duration {
        let unit = Double(next() >> 11) / Double(1 << 53)
        return wait * (2.0 / 3.0 * (1 + unit))
    }
}
