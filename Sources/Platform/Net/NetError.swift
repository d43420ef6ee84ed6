import Files
import Glibc

/// Why the system would not do what a connection or the loop needed.
public enum NetError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The process (EMFILE) or the machine (ENFILE) has no descriptor left; worth another try later.
    case outOfDescriptors
    /// A system call failed; `code` is its errno.
    case system(call: String, code: Int32)

    init(_ call: String, _ code: Int32) {
        self = code == EMFILE || code == ENFILE ? .outOfDescriptors : .system(call: call, code: code)
    }

    public var description: String {
        switch self {
        case .outOfDescriptors: "no file descriptors left"
        case .system(let call, let code): "\(call): \(systemText(code))"
        }
    }
}
