import Foundation
import JSON
import MatrixCrypto
import TestSupport

/// Devices that vodozemac works for (Tests/Servers/vodozemac_people.py).
struct VodozemacPeople {
    private let side: VodozemacSide

    init() throws { side = try VodozemacSide("vodozemac_people.py") }

    struct Refusal: Error { let text: String }

    func take(_ step: String, _ arguments: JSONValue...) throws -> JSONValue {
        let line = try JSONWriter.canonical(.array([.string(step)] + arguments))
        let answer = try JSONValue(parsing: Array(side.answer(to: Data(line))))
        if let error = answer["error"]?.string { throw Refusal(text: "\(step): \(error)") }
        return answer
    }
}

/// Repeatable chance (SplitMix64).
struct Dice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
    mutating func percent(_ chance: Int) -> Bool { below(100) < chance }
    mutating func one<Element>(of all: [Element]) -> Element? { all.isEmpty ? nil : all[below(all.count)] }
}
