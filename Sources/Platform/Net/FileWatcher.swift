public import Base
import CLinux
import Files
import Glibc

/// Tells when files have changed: written in place, replaced by a rename, reached over another link (of the file or of
/// any folder above it), gone or come back.
///
/// A change is told when it has settled: nothing happened for a moment, and nobody has the file half written.
@Loop public final class FileWatcher {
    /// How long nothing must happen before a change is told.
    public struct Settling: Sendable {
        public var quiet: Duration
        /// While somebody has written and not yet closed a file.
        public var writing: Duration
        /// From the first change on, however much goes on.
        public var longest: Duration

        public init(
            quiet: Duration = .milliseconds(300), writing: Duration = .seconds(3), longest: Duration = .seconds(10)
        ) {
            self.quiet = quiet
            self.writing = writing
            self.longest = longest
        }
    }

    private enum Watched {
        case folder(names: Set<String>)
        case file
    }

    private static let folderEvents = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR)
    private static let fileEvents = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

    private let descriptor: Int32
    private let loop: EventLoop
    private let settling: Settling
    private let changed: @Loop () -> Void
    private var registration: Registration?
    private var paths: [String] = []
    private var watches: [Int32: Watched] = [:]
    private var stamps: [FileStamp?] = []
    private var timer: TimerID?
    private var unsettledSince: Instant?
    private var isBeingWritten = false

    /// `changed` is called on the loop, once for all that happened until it settled.
    public init(
        on loop: EventLoop, settling: Settling = Settling(), changed: @escaping @Loop () -> Void
    ) throws(NetError) {
        descriptor = try Syscalls.inotify()
        self.loop = loop
        self.settling = settling
        self.changed = changed
        registration = try loop.watch(descriptor, for: .read) { [weak self] _ in self?.readable() }
    }

    /// Watches these absolute paths from now on, whether they exist or not. Throws when the system has no watch left;
    /// then some are watched and some are not.
    public func watch(_ paths: [String]) throws(NetError) {
        guard registration != nil else { return }
        self.paths = paths
        stamps = paths.map(Self.stamp)
        try arm()
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// Nothing is told any more. The descriptor is closed with the watcher: to close it right after its watches have ended takes
    /// up to 20 ms, in which the kernel makes sure that nobody looks at them (inotify_release in fs/notify); a while later it
    /// takes none.
    public func cancel() {
        guard let registration else { return }
        loop.unwatch(registration)
        self.registration = nil
        if let timer { loop.cancel(timer) }
        timer = nil
        for number in watches.keys { Syscalls.unwatch(descriptor, number) }
        watches = [:]
    }

    // MARK: Watches

    private func arm() throws(NetError) {
        var folders: [String: Set<String>] = [:]
        var files: Set<String> = []
        for path in paths {
            let steps = PathSteps(path)
            folders.merge(steps.names) { $0.union($1) }
            if let end = steps.end { files.insert(end) }
        }
        var now: [Int32: Watched] = [:]
        for (folder, names) in folders {
            guard let number = try add(folder, Self.folderEvents) else { continue }
            if case .folder(let others) = now[number] {
                now[number] = .folder(names: others.union(names))
            } else {
                now[number] = .folder(names: names)
            }
        }
        for file in files {
            if let number = try add(file, Self.fileEvents), now[number] == nil { now[number] = .file }
        }
        for number in watches.keys where now[number] == nil { Syscalls.unwatch(descriptor, number) }
        watches = now
    }

    /// Nil for what isn't there or may not be looked into: then what lies above it tells.
    private func add(_ path: String, _ events: UInt32) throws(NetError) -> Int32? {
        do throws(NetError) {
            return try Syscalls.watch(descriptor, path, for: events)
        } catch {
            switch error {
            case .system(_, ENOENT), .system(_, EACCES), .system(_, ENOTDIR), .system(_, ELOOP): return nil
            case .system, .outOfDescriptors: throw error
            }
        }
    }

    // MARK: Events

    private func readable() {
        var isOurs = false
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ Syscalls.read(descriptor, into: $0) }),
            count > 0
        {
            buffer.withUnsafeBytes { bytes in
                for event in Events(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<count])) {
                    if note(event) { isOurs = true }
                }
            }
        }
        if isOurs { settle() }
    }

    private func note(_ event: FileEvent) -> Bool {
        // The queue of events was full: anything may have happened.
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        switch watches[event.watch] {
        case .folder(let names):
            guard let name = event.name else { return true }
            return names.contains(name)
        case .file:
            if event.mask & UInt32(IN_MODIFY) != 0 { isBeingWritten = true }
            if event.mask & UInt32(IN_CLOSE_WRITE) != 0 { isBeingWritten = false }
            return true
        case nil: return false
        }
    }

    private func settle() {
        if let timer { loop.cancel(timer) }
        let now = loop.now
        let wait = isBeingWritten ? settling.writing : settling.quiet
        let last = (unsettledSince ?? now).advanced(by: settling.longest)
        unsettledSince = unsettledSince ?? now
        timer = loop.schedule(at: min(now.advanced(by: wait), last)) { [weak self] in self?.settled() }
    }

    private func settled() {
        timer = nil
        unsettledSince = nil
        isBeingWritten = false
        // What is watched may lie elsewhere now. Where no watch can be had any more the next change is missed, and this one
        // is still told.
        try? arm()
        let now = paths.map(Self.stamp)
        guard now != stamps else { return }
        stamps = now
        changed()
    }

    /// Nil while it can't be looked at.
    private static func stamp(_ path: String) -> FileStamp? {
        try? FileStamp(of: path)
    }
}

/// One event as inotify(7) writes it: a head of 16 bytes, then the name, filled up with NUL.
struct FileEvent {
    let watch: Int32
    let mask: UInt32
    let name: String?
}

/// The events in a buffer.
private struct Events: Sequence, IteratorProtocol {
    let bytes: UnsafeRawBufferPointer
    var at = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() -> FileEvent? {
        guard bytes.count - at >= 16 else { return nil }
        let length = Int(bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
        guard bytes.count - at - 16 >= length else { return nil }
        let name = bytes[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }
        defer { at += 16 + length }
        return FileEvent(
            watch: bytes.loadUnaligned(fromByteOffset: at, as: Int32.self),
            mask: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self),
            name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
    }
}
