import Foundation
import JSON
import Testing

/// Another implementation as the judge, over documents made at random and then damaged.
struct FoundationComparisonTests {
    @Test(arguments: 0..<40 as Range<UInt64>) func agreesWithFoundation(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
        for _ in 0..<50 {
            let text = randomDocument(depth: 4, using: &numbers)
            let ours = try parse(text)
            let theirs = try #require(foundation(Array(text.utf8)), "\(text)")
            #expect(isSame(ours, theirs), "\(text)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func agreesOnDamage(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: 1000 + seed)
        let marks = Array("{}[]\",:\\0123456789.-+eEtfnu \u{1}é".utf8)
        for _ in 0..<200 {
            var bytes = Array(randomDocument(depth: 3, using: &numbers).utf8)
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[place] = marks.randomElement(using: &numbers)!
                case 1: bytes.insert(marks.randomElement(using: &numbers)!, at: place)
                default: if bytes.count > 1 { bytes.remove(at: place) }
                }
            }
            let ours = try? JSONValue(parsing: bytes)
            let why = reason(of: bytes)
            #expect(why == .numberOutOfRange || why == skipReason(of: bytes))
            guard let theirs = foundation(bytes) else {
                #expect(ours == nil, "\(String(decoding: bytes, as: UTF8.self))")
                continue
            }
            // Duplicate keys aside, what both accept both read alike.
            guard let ours else {
                if hasTrailingComma(bytes) { continue }
                Issue.record("only Foundation accepts \(String(decoding: bytes, as: UTF8.self))")
                continue
            }
            #expect(isSame(ours, theirs), "\(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private func foundation(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
    }

    /// `[1, ]` passes for an array with Foundation 6.3, against the grammar.
    private func hasTrailingComma(_ bytes: [UInt8]) -> Bool {
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes)
            return false
        } catch {
            let before = bytes[..<error.offset].last { ![0x20, 0x0A, 0x09, 0x0D].contains($0) }
            return error.reason == .unexpectedByte && bytes[error.offset] == UInt8(ascii: "]")
                && before == UInt8(ascii: ",")
        }
    }

    private func isSame(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch ours {
        case .null: theirs is NSNull
        case .bool(let value): (theirs as? Bool) == value
        case .integer(let value): (theirs as? NSNumber)?.int64Value == value
        // The last digit of long fractions is where the two round differently.
        case .number(let value):
            (theirs as? NSNumber).map { abs($0.doubleValue - value) <= abs(value) * 0x1p-51 } ?? false
        case .string(let value): (theirs as? String).map { $0.utf8.elementsEqual(value.utf8) } ?? false
        case .array(let value):
            (theirs as? [Any]).map { $0.count == value.count && zip(value, $0).allSatisfy { isSame($0, $1) } } ?? false
        case .object(let value):
            (theirs as? [String: Any]).map { pairs in
                pairs.allSatisfy { pair in value[pair.key].map { isSame($0, pair.value) } ?? false }
                    && Set(value.members.map(\.key)).count == pairs.count
            } ?? false
        }
    }

    private func randomDocument(depth: Int, using numbers: inout SeededNumbers) -> String {
        let space = ["", "", " ", "\n", "\t"].randomElement(using: &numbers)!
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &numbers) {
        case 0: return ["null", "true", "false"].randomElement(using: &numbers)! + space
        case 1:
            return String(Int64.random(in: .min ... .max, using: &numbers) >> Int64.random(in: 0..<64, using: &numbers))
        case 2:
            return ["0.25", "-1.5e3", "1E-2", "12.0", "3.14159265358979", "-0.001e+5"].randomElement(using: &numbers)!
        case 3, 4: return randomString(using: &numbers) + space
        case 5, 6:
            let keys = (0..<Int.random(in: 0...4, using: &numbers)).map { _ in randomString(using: &numbers) }
            var seen: Set<String> = []
            let members = keys.filter { seen.insert($0).inserted }.map {
                $0 + space + ":" + space + randomDocument(depth: depth - 1, using: &numbers)
            }
            return "{" + space + members.joined(separator: ",") + "}"
        default:
            let elements = (0..<Int.random(in: 0...4, using: &numbers)).map { _ in
                randomDocument(depth: depth - 1, using: &numbers)
            }
            return "[" + elements.joined(separator: "," + space) + space + "]"
        }
    }

    private func randomString(using numbers: inout SeededNumbers) -> String {
        let pieces = [
            "a", "key", "hello world", "é", "日本", "😀", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u0041"#, #"\ud83d\ude00"#,
            "{", "]", ",",
        ]
        let count = Int.random(in: 0...5, using: &numbers)
        return "\"" + (0..<count).map { _ in pieces.randomElement(using: &numbers)! }.joined() + "\""
    }
}
