/// Why the bot can't start with this state folder. Everything else that goes wrong with it is logged and lived with.
public enum StateError: Error, Equatable, Sendable, CustomStringConvertible {
    case inUse(folder: String, process: Int?)
    case newerVersion(folder: String, found: Int, known: Int)
    /// The folder can't be made or entered; the reason is the system's.
    case unusable(folder: String, reason: String)

    public var description: String {
        switch self {
        case .inUse(let folder, let process):
            "the state folder \(folder) is in use by another gifbot" + (process.map { " (process \($0))" } ?? "")
        case .newerVersion(let folder, let found, let known):
            "the state in \(folder) was written by a newer gifbot (version \(found), this one knows \(known)); "
                + "use that one, or another state folder"
        case .unusable(let folder, let reason):
            "can't use the state folder \(folder): \(reason)"
        }
    }
}
