import COlm
import MatrixCrypto

/// libolm as a driver. Its randomness is handed in, as the library wants it.
public struct LibolmDriver {
    let random: (Int) -> [UInt8]

    public init(random: @escaping (Int) -> [UInt8]) {
        self.random = random
    }
}
