import Glibc

/// What the process ends with (sysexits.h has 64 and 78).
enum Exit: Int32 {
    case asAsked = 0
    case failed = 1
    case wrongUsage = 64
    case badConfig = 78

    func now() -> Never { exit(rawValue) }
}
