/// Formatting codes of clients (modern.ircdocs.horse, formatting): removed before a command is looked for.
enum Formatting {
    /// The text without codes; any other control character becomes a space, a NUL vanishes.
    static func removed(from text: String) -> String {
        guard text.anyByte(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
        let bytes = Array(text.utf8)
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case colour: index = afterColour(bytes, index, digits: 1...2, isDigit: isDecimal)
            case hexColour: index = afterColour(bytes, index, digits: 6...6, isDigit: isHex)
            case 0x02, 0x0F, 0x11, 0x16, 0x1D, 0x1E, 0x1F, 0: break
            case 0x01..<0x20, 0x7F: plain.append(0x20)
            default: plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static let colour: UInt8 = 0x03
    private static let hexColour: UInt8 = 0x04

    /// The comma belongs to the code only when a background colour follows it.
    private static func afterColour(
        _ bytes: [UInt8], _ start: Int, digits: ClosedRange<Int>, isDigit: (UInt8) -> Bool
    ) -> Int {
        let foreground = afterDigits(bytes, start, digits, isDigit)
        guard foreground > start, foreground < bytes.count, bytes[foreground] == UInt8(ascii: ",") else {
            return foreground
        }
        let background = afterDigits(bytes, foreground + 1, digits, isDigit)
        return background > foreground + 1 ? background : foreground
    }

    private static func afterDigits(
        _ bytes: [UInt8], _ start: Int, _ digits: ClosedRange<Int>, _ isDigit: (UInt8) -> Bool
    ) -> Int {
        var end = start
        while end < bytes.count, end - start < digits.upperBound, isDigit(bytes[end]) { end += 1 }
        return end - start >= digits.lowerBound ? end : start
    }

    private static func isDecimal(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        isDecimal(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }
}
