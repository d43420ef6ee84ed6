/// The `time` tag: `2026-01-31T12:34:56.789Z` (server-time).
enum ServerTime {
    /// Milliseconds since 1970; nil for anything that isn't of this form.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"), bytes[4] == dash, bytes[7] == dash,
            bytes[10] == UInt8(ascii: "T"), bytes[13] == colon, bytes[16] == colon,
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]), 1...12 ~= month, 1...31 ~= day
        else { return nil }
        let seconds = daysSince1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
        return seconds * 1000 + (fraction(bytes[19...]) ?? 0)
    }

    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// `.789Z` as milliseconds.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard bytes.first == UInt8(ascii: "."), bytes.count >= 5 else { return nil }
        return number(bytes.dropFirst().prefix(3))
    }

    /// Gregorian calendar, with years that begin in March so that the leap day comes last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let m = (month + 9) % 12
        return y * 365 + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + day - 1 - 719_468
    }
}
