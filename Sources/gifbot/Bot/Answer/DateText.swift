import Base

/// A date as machines and people read it, UTC.
enum DateText {
    /// `2026-11-30`
    static func day(_ time: WallTime) -> String {
        // Howard Hinnant's days-to-civil, for the proleptic Gregorian calendar: years begin in March there, so that the
        // odd day comes last.
        let days = floorDivided(time.milliseconds, 86_400_000) + 719_468
        let era = floorDivided(days, 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0)
        return "\(year)-\(two(civilMonth))-\(two(day))"
    }

    /// `2026-11-30 17:05`
    static func minute(_ time: WallTime) -> String {
        let minutes = floorDivided(time.milliseconds, 60_000)
        let ofDay = minutes - floorDivided(minutes, 1440) * 1440
        return "\(day(time)) \(two(ofDay / 60)):\(two(ofDay % 60))"
    }

    private static func floorDivided(_ a: Int64, _ b: Int64) -> Int64 {
        a >= 0 ? a / b : -((b - 1 - a) / b)
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
