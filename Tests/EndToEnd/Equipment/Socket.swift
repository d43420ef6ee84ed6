import Foundation

/// A blocking TCP connection to loopback.
final class Socket: Sendable {
    let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let done = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard done == 0 else {
            close(descriptor)
            throw Trouble("nothing listens on port \(port)")
        }
    }

    deinit { close(descriptor) }

    func send(_ line: String) { send(Array(line.utf8)) }

    func send(_ line: [UInt8]) {
        let bytes = line + [0x0D, 0x0A]
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    func readAll() -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let got = read(descriptor, &buffer, buffer.count)
            guard got > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<got]
        }
    }

    /// Wakes a thread that reads.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
