public import Foundation

/// Another implementation of Olm, Megolm and short authentication strings to test ours against
/// (Tests/Servers/vodozemac_side.py lists the steps). It ends with its object.
public final class VodozemacSide {
    /// Without it (`Tests/Servers/fetch.sh` brings it) its tests are skipped, unless `GIFBOT_PEER` is `required`: then they
    /// fail. That is how `make unit` and the checks before a change lands run them.
    public static var isWanted: Bool {
        isThere || ProcessInfo.processInfo.environment["GIFBOT_PEER"] == "required"
    }

    private static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python.path) }

    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    private static let python = root.appending(path: ".build/test-servers/peer/bin/python")

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var unread = Data()

    /// Of a script in Tests/Servers.
    public init(_ script: String = "vodozemac_side.py") throws {
        guard Self.isThere else { throw Refusal(text: "no \(Self.python.path): run make servers") }
        process.executableURL = Self.python
        process.arguments = ["-B", Self.root.appending(path: "Tests/Servers/\(script)").path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        if process.isRunning { process.waitUntilExit() }
    }

    /// One step; what came of it is whatever JSON has for it.
    @discardableResult
    public func take(_ step: String, _ arguments: Any...) throws -> Any { try take(step, all: arguments) }

    public func text(_ step: String, _ arguments: Any...) throws -> String {
        let answer = try take(step, all: arguments)
        guard let text = answer as? String else { throw Refusal(text: "\(step): \(answer)") }
        return text
    }

    public func fields(_ step: String, _ arguments: Any...) throws -> [String: Any] {
        let answer = try take(step, all: arguments)
        guard let fields = answer as? [String: Any] else { throw Refusal(text: "\(step): \(answer)") }
        return fields
    }

    private func take(_ step: String, all arguments: [Any]) throws -> Any {
        let answer = try answer(to: JSONSerialization.data(withJSONObject: [step] + arguments))
        let value = try JSONSerialization.jsonObject(with: answer, options: .fragmentsAllowed)
        if let error = (value as? [String: Any])?["error"] { throw Refusal(text: "\(step): \(error)") }
        return value
    }

    /// One step as the line that it is.
    public func answer(to step: Data) throws -> Data {
        try input.fileHandleForWriting.write(contentsOf: step + [UInt8(ascii: "\n")])
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                let answer = Data(unread[unread.startIndex..<end])
                unread = Data(unread[(end + 1)...])
                return answer
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Refusal(text: "the other side has ended") }
            unread.append(more)
        }
    }

    public struct Refusal: Error {
        public let text: String
    }
}
