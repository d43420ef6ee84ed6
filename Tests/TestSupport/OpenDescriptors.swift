import Glibc

/// How many descriptors the process has open. Only of use in an exit test, which has a process for itself. Pipes don't
/// count: the program opens none, and a sanitizer talks to its symbolizer through some.
public func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        var target = [UInt8](repeating: 0, count: 8)
        let length = withUnsafePointer(to: &entry.pointee.d_name) { name in
            name.withMemoryRebound(to: CChar.self, capacity: 256) {
                readlinkat(dirfd(folder), $0, &target, target.count)
            }
        }
        if length > 0, !target.starts(with: "pipe:".utf8) { count += 1 }
    }
    return count
}

/// The same once it is no more than `limit`, or when a minute has passed: the stand-ins close their ends on threads
/// of their own.
public func openDescriptors(atMost limit: Int) async -> Int {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        let now = openDescriptors()
        if now <= limit { return now }
        await Task.yield()
    }
    return openDescriptors()
}
