import Glibc

/// Why a file couldn't be read or written.
public enum FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system said no; `code` is its errno.
    case system(code: Int32)
    /// In bytes.
    case tooLarge(limit: Int)
    /// A folder, a pipe, a device.
    case notAFile

    /// What the last call left in `errno`, which has to be taken before anything else is called.
    public static var last: FileError { .system(code: errno) }

    public var description: String {
        switch self {
        case .system(let code): systemText(code)
        case .tooLarge(let limit): "larger than \(limit) bytes"
        case .notAFile: "not a regular file"
        }
    }
}

/// The system's words for an errno. May be called from any thread, unlike `strerror`.
public func systemText(_ code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &text, text.count) == 0 else { return "error \(code)" }
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
}
