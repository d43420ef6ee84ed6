import Base
import Files
import Glibc
import YAML

/// The config file on disk: found, read and parsed, before anybody decodes it.
struct SettingsFile: Sendable {
    /// As the operator wrote it, for messages.
    let path: String

    /// Looked for in this order when none is named.
    static let usualPlaces = ["./bot.yaml", "/etc/gifbot/bot.yaml"]

    /// The named file, else the first usual one that exists.
    init?(named path: String?) {
        guard let found = path ?? Self.usualPlaces.first(where: { access($0, F_OK) == 0 }) else { return nil }
        self.path = found
    }

    /// Finds the file, loads it, and tells on standard error what is wrong with it, with the lines of the file.
    static func loadAndTell(named path: String?) -> (file: SettingsFile, loaded: LoadedSettings)? {
        guard let file = SettingsFile(named: path) else {
            Output.error.write("gifbot: found no \(usualPlaces.joined(separator: " or "))\n")
            return nil
        }
        let loaded = file.load()
        for line in loaded.linesWithExcerpts(of: loaded.faults, as: "error") { Output.error.write(line + "\n") }
        return (file, loaded)
    }

    /// Reads and decodes the whole file; what is wrong with it is in the result.
    func load() -> LoadedSettings {
        let context = ConfigContext(
            folder: Self.folder(of: path),
            environment: { name in getenv(name).map { String(cString: $0) } },
            readFile: { (path) throws(ConfigFileError) in
                String(decoding: try readWholeFile(path, limit: 1 << 16), as: UTF8.self)
            })
        var settings: Settings?
        var text: [UInt8] = []
        var root: ConfigNode?
        do throws(ConfigFault) {
            text = try bytes()
            let node = try parse(text)
            root = node
            settings = Settings(try map(node, in: context))
        } catch {
            context.fault(error.message, at: error.place, path: error.path)
        }
        return LoadedSettings(
            file: path, settings: context.faults.isEmpty ? settings : nil, faults: context.faults,
            warnings: context.warnings, secrets: context.secrets, files: context.files.map(absolute),
            origins: SettingsOrigins(root), text: text, isReadable: root != nil)
    }

    private func bytes() throws(ConfigFault) -> [UInt8] {
        do throws(ConfigFileError) {
            return try readWholeFile(path, limit: YAMLReader.longestFile)
        } catch {
            throw ConfigFault(place: nil, path: "", message: "can't read the file: \(error.reason)")
        }
    }

    private func parse(_ bytes: [UInt8]) throws(ConfigFault) -> ConfigNode {
        do throws(YAMLError) {
            return try YAMLReader.parse(bytes)
        } catch {
            throw error.fault
        }
    }

    private func map(_ node: ConfigNode, in context: ConfigContext) throws(ConfigFault) -> ConfigMap {
        guard case .map = node.value, let map = ConfigMap(node, path: "", in: context) else {
            let message = "expected sections such as bot, irc and search, found \(node.kindName)"
            throw ConfigFault(place: node.place, path: "", message: message)
        }
        return map
    }

    /// Where the file is, whatever becomes of the working directory.
    var absolutePath: String { absolute(path) }

    private func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getcwd(&buffer, buffer.count) != nil else { return path }
        return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } + "/" + path
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// What loading gave: settings only when nothing is wrong.
struct LoadedSettings: Sendable {
    let file: String
    let settings: Settings?
    let faults: [ConfigFault]
    let warnings: [ConfigFault]
    let secrets: [Secret]
    /// Absolute paths of the files that values came from.
    let files: [String]
    let origins: SettingsOrigins
    /// The file as it was, which may hold secrets; and whether its syntax is sound.
    fileprivate let text: [UInt8]
    fileprivate let isReadable: Bool

    /// One line each, in the order of the file: `bot.yaml:12:7: error: irc[0].port: expected …`.
    func lines(of faults: [ConfigFault], as kind: String) -> [String] {
        inOrder(faults).map { line(of: $0, as: kind) }
    }

    /// The same, each followed by the line of the file and a caret.
    func linesWithExcerpts(of faults: [ConfigFault], as kind: String) -> [String] {
        let unknown = self.faults.filter(\.isUnknownKey).compactMap(\.place)
        let excerpt = FaultExcerpt(file: text, secrets: secrets, isReadable: isReadable, unknownKeys: unknown)
        return inOrder(faults).flatMap { fault in
            [line(of: fault, as: kind)] + (fault.place.map { excerpt.lines(at: $0) } ?? [])
        }
    }

    private func line(of fault: ConfigFault, as kind: String) -> String {
        let place = fault.place.map { ":\($0.line):\($0.column)" } ?? ""
        let path = fault.path.isEmpty ? "" : fault.path + ": "
        return "\(file)\(place): \(kind): \(path)\(fault.message)"
    }

    private func inOrder(_ faults: [ConfigFault]) -> [ConfigFault] {
        faults.sorted { ($0.place ?? .start) < ($1.place ?? .start) }
    }
}

extension ConfigPlace {
    fileprivate static let start = ConfigPlace(line: 0, column: 0)
}

/// The bytes of a file, with the system's words for what went wrong.
func readWholeFile(_ path: String, limit: Int) throws(ConfigFileError) -> [UInt8] {
    do throws(FileError) {
        return try FileDescriptor(opening: path).bytes(atMost: limit)
    } catch {
        throw ConfigFileError(reason: error.description)
    }
}
