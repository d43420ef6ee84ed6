/// Collects what is wrong while a config is decoded, so that every fault is told at once, and knows where secrets and
/// files are found.
public final class ConfigContext {
    public private(set) var faults: [ConfigFault] = []
    public private(set) var warnings: [ConfigFault] = []
    /// Every secret met, for the log's mask.
    public private(set) var secrets: [Secret] = []
    /// Every file that a value was read from, or should have been.
    public private(set) var files: [String] = []

    /// Every key that a decoder knows and has looked for, given or not.
    public private(set) var keysAskedFor: Set<String> = []

    private let environment: (String) -> String?
    private let readFile: (String) throws(ConfigFileError) -> String
    private let folder: String

    /// `folder` is the config file's own; relative paths start there.
    public init(
        folder: String, environment: @escaping (String) -> String?,
        readFile: @escaping (String) throws(ConfigFileError) -> String
    ) {
        self.folder = folder
        self.environment = environment
        self.readFile = readFile
    }

    public func fault(_ message: String, at place: ConfigPlace?, path: String) {
        faults.append(ConfigFault(place: place, path: path, message: message))
    }

    func fault(unknownKey hint: String, at place: ConfigPlace, path: String) {
        faults.append(ConfigFault(place: place, path: path, message: "unknown key\(hint)", isUnknownKey: true))
    }

    public func warn(_ message: String, at place: ConfigPlace?, path: String) {
        warnings.append(ConfigFault(place: place, path: path, message: message))
    }

    /// A path as written, made relative to the config file's folder.
    public func resolve(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let path = path.hasPrefix("./") ? path.dropFirst(2) : path[...]
        return folder.hasSuffix("/") ? folder + path : folder + "/" + path
    }

    /// `${NAME}` counts only as the whole value; an unset variable is a fault.
    func expand(_ text: String, at place: ConfigPlace, path: String) -> String? {
        guard text.hasPrefix("${"), text.hasSuffix("}") else { return text }
        let name = String(text.dropFirst(2).dropLast())
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isEnvironmentNameByte }) else { return text }
        if let value = environment(name), !value.isEmpty { return value }
        fault("the environment variable \(name) is not set", at: place, path: path)
        return nil
    }

    /// For secrets that are part of a larger value; `ConfigMap.secret` notes its own.
    public func note(_ secret: Secret) {
        secrets.append(secret)
    }

    func noteAsked(for key: String) {
        keysAskedFor.insert(key)
    }

    func secretFile(_ file: String, at place: ConfigPlace, path: String) -> Secret? {
        let text: String
        files.append(resolve(file))
        do throws(ConfigFileError) {
            text = try readFile(resolve(file))
        } catch {
            fault("can't read the file \(file): \(error.reason)", at: place, path: path)
            return nil
        }
        // One line end at the end is the editor's, all else is the secret's.
        var bytes = Array(text.utf8)
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else {
            fault("the file \(file) is empty", at: place, path: path)
            return nil
        }
        return Secret(String(decoding: bytes, as: UTF8.self))
    }
}

public struct ConfigFileError: Error, Equatable, Sendable {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }
}

extension UInt8 {
    var isEnvironmentNameByte: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
