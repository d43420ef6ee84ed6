import Foundation
import Synchronization

/// A child process with everything it says.
final class Program: Sendable {
    let output = Transcript()
    let errors = Transcript()
    let pid: Int32
    private let input: Int32
    private let isInputOpen = Mutex(true)
    private let exitStatus: ExitStatus
    /// It ends by itself, and in order, once its input is closed.
    private let endsWithInput: Bool

    /// Filled by the thread that Foundation tells of the end.
    private final class ExitStatus: Sendable {
        let value = Mutex<Int32?>(nil)
    }

    init(
        _ path: String, _ arguments: [String], in folder: String, environment: [String: String] = [:],
        endsWithInput: Bool = false
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let said = Pipe()
        let complained = Pipe()
        let told = Pipe()
        process.standardOutput = said
        process.standardError = complained
        process.standardInput = told
        let status = ExitStatus()
        process.terminationHandler = { ended in
            // As a shell counts: 128 and the signal.
            let code = ended.terminationReason == .exit ? ended.terminationStatus : 128 + ended.terminationStatus
            status.value.withLock { $0 = code }
        }
        // Other children must not hold this end open: a closed input is a message.
        _ = fcntl(told.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
        pid = process.processIdentifier
        exitStatus = status
        self.endsWithInput = endsWithInput
        input = fcntl(told.fileHandleForWriting.fileDescriptor, F_DUPFD_CLOEXEC, 3)
        _ = fcntl(input, F_SETFD, FD_CLOEXEC)
        try told.fileHandleForWriting.close()
        output.follow(fcntl(said.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3))
        errors.follow(fcntl(complained.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 3))
    }

    deinit {
        closeInput()
        if !endsWithInput, isRunning { kill(pid, SIGKILL) }
    }

    var isRunning: Bool { exitStatus.value.withLock { $0 } == nil }

    func signal(_ number: Int32) {
        guard isRunning else { return }
        kill(pid, number)
    }

    func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }

    func closeInput() {
        let wasOpen = isInputOpen.withLock { open in
            defer { open = false }
            return open
        }
        if wasOpen { close(input) }
    }

    /// The exit code, once it has ended and all it said was read.
    @discardableResult
    func end(within limit: Duration = .seconds(20)) async throws -> Int32 {
        let code = try await eventually("process \(pid) to end\n\(tail)", within: limit) {
            exitStatus.value.withLock { $0 }
        }
        try await eventually("the last words of process \(pid)") { output.isComplete && errors.isComplete }
        return code
    }

    /// How many descriptors it has open.
    var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0
    }

    /// Bytes, as the kernel counts under this name (`VmRSS`, `VmHWM`, `RssAnon`).
    func memory(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        guard words.count == 3, let count = Int(words[1]) else { throw Trouble("no \(name) of process \(pid)") }
        return count << 10
    }

    var tail: String {
        (["-- standard output:"] + output.lines.suffix(15) + ["-- standard error:"] + errors.lines.suffix(40))
            .joined(separator: "\n")
    }
}
