import Glibc

/// Whole milliseconds, rounded up, as libcurl takes them; at most a day.
func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = min(duration, .seconds(86400)).components
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
}

/// Whether the process or the machine has no descriptor left, found out by asking for one.
func hasNoDescriptors() -> Bool {
    let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard probe >= 0 else { return errno == EMFILE || errno == ENFILE }
    close(probe)
    return false
}
