import Foundation

/// Where things lie in the checkout.
enum Places {
    static let checkout = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static var scripts: URL { checkout.appending(path: "Tests/Servers") }

    static var servers: URL {
        if let named = ProcessInfo.processInfo.environment["TEST_SERVERS"] { return URL(fileURLWithPath: named) }
        return checkout.appending(path: ".build/test-servers")
    }

    /// The program under test: GIFBOT, or what was built together with this test.
    static func gifbot() throws -> String {
        let named = ProcessInfo.processInfo.environment["GIFBOT"]
        let path = named ?? checkout.appending(path: ".build/debug/gifbot").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Trouble("there is no program at \(path); run 'make test', or name one in GIFBOT")
        }
        return path
    }

    /// Missing servers are a failure: a suite that skips itself would look like one that passed.
    static func require(_ part: String) throws -> URL {
        let found = servers.appending(path: part)
        guard FileManager.default.fileExists(atPath: found.path) else {
            throw Trouble("the servers for end to end tests are not in \(servers.path); run 'make test'")
        }
        return found
    }
}
