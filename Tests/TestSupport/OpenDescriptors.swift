import Glibc

/// How many descriptors the process has open. The stand-ins close their ends on threads of their own, so the count is
/// looked at until it is no more than `limit` or has stopped falling for a while.
///
/// Only of use in an exit test, which has a process for itself.
public func openDescriptors(atMost limit: Int) async -> Int {
    var least = Int.max
    var deadline = ContinuousClock.now
    repeat {
        let now = count()
        if now <= limit { return now }
        if now < least {
            least = now
            deadline = .now + .milliseconds(500)
        }
        await Task.yield()
    } while ContinuousClock.now < deadline
    return least
}

private func count() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
