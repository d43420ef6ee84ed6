import CLinux
import Glibc

/// The only place that calls the socket and epoll functions: an interrupted call is repeated, "would block" is a value.
enum Syscalls {
    enum Transfer: Equatable {
        case bytes(Int)
        case wouldBlock
        case failed(Int32)
    }

    /// Zero bytes means that the peer has closed its side.
    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
    }

    /// Never raises SIGPIPE.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        transfer { Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }

    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        transfer { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    private static func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed(errno)
            }
        }
    }

    /// Linux frees the descriptor even when close is interrupted, so it is never repeated.
    static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }

    /// Tells the peer that nothing more comes.
    static func finishWriting(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    static func makeNonBlocking(_ descriptor: Int32) throws(NetError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) >= 0 else { throw NetError("fcntl", errno) }
    }

    static func epoll() throws(NetError) -> Int32 {
        try checked("epoll_create1", epoll_create1(Int32(EPOLL_CLOEXEC)))
    }

    /// Adds (EPOLL_CTL_ADD) or changes (EPOLL_CTL_MOD) what is watched for.
    static func control(
        _ epoll: Int32, _ operation: Int32, _ descriptor: Int32, events: UInt32, token: UInt64
    ) throws(NetError) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = token
        _ = try checked("epoll_ctl", epoll_ctl(epoll, operation, descriptor, &event))
    }

    /// Forgets a descriptor; one that was closed already has been forgotten by the kernel.
    static func remove(_ epoll: Int32, _ descriptor: Int32) {
        var event = epoll_event()
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// The number of events, none when interrupted; `timeout` in milliseconds, -1 for no end.
    static func wait(_ epoll: Int32, _ events: UnsafeMutableBufferPointer<epoll_event>, timeout: Int32) -> Int {
        Int(max(0, epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout)))
    }

    static func wakeUp() throws(NetError) -> Int32 {
        try checked("eventfd", eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
    }

    static func signalWakeUp(_ descriptor: Int32) {
        var one: UInt64 = 1
        // The counter is full only when a wake-up is waiting anyway.
        _ = transfer { write(descriptor, &one, 8) }
    }

    static func signals(_ set: inout sigset_t) throws(NetError) -> Int32 {
        try checked("signalfd", signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)))
    }

    static func inotify() throws(NetError) -> Int32 {
        try checked("inotify_init1", inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
    }

    /// The number of the watch; two paths of one file or folder have the same.
    static func watch(_ inotify: Int32, _ path: String, for events: UInt32) throws(NetError) -> Int32 {
        try checked("inotify_add_watch", inotify_add_watch(inotify, path, events))
    }

    static func unwatch(_ inotify: Int32, _ watch: Int32) {
        // The watch of a file that is gone has ended by itself.
        _ = inotify_rm_watch(inotify, watch)
    }

    private static func checked(_ call: String, _ result: Int32) throws(NetError) -> Int32 {
        guard result >= 0 else { throw NetError(call, errno) }
        return result
    }
}
