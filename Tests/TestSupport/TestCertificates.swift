import Foundation

/// Certificates for one run, made by the `openssl` command at the first use: an authority, and servers that it has
/// vouched for in various ways. All paths are PEM files in a folder that goes when the process ends.
public struct TestCertificates: Sendable {
    public struct Identity: Sendable {
        public let certificate: String
        public let key: String
    }

    public static let shared: TestCertificates = {
        do {
            return try TestCertificates()
        } catch {
            fatalError("no test certificates: \(error)")
        }
    }()

    /// To trust.
    public let authority: String
    /// For `localhost`, `irc.example.test`, `*.chat.example.test` and 127.0.0.1.
    public let good: Identity
    /// For `other.example.test`.
    public let wrongHost: Identity
    /// Until 2021-02-03 04:05:06.
    public let expired: Identity
    /// From 2090-01-02 03:04:05.
    public let future: Identity
    /// By itself.
    public let selfSigned: Identity
    /// For a client, with the key in the certificate's file.
    public let client: String

    private let place: TemporaryFolder

    private init() throws {
        place = try TemporaryFolder()
        let folder = place.path
        let workshop = try Workshop(folder: folder)
        authority = try workshop.makeAuthority()
        let names = "DNS:localhost,DNS:irc.example.test,DNS:*.chat.example.test,IP:127.0.0.1"
        good = try workshop.sign("good", names: names)
        wrongHost = try workshop.sign("wrong", names: "DNS:other.example.test")
        expired = try workshop.sign("expired", names: names, from: "20200102030405Z", to: "20210203040506Z")
        future = try workshop.sign("future", names: names, from: "20900102030405Z", to: "20910203040506Z")
        selfSigned = try workshop.signItself("itself", names: names)
        let identity = try workshop.sign("client", names: "DNS:client")
        client = folder + "/client-both.pem"
        let both = try [identity.certificate, identity.key]
            .map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        try both.write(toFile: client, atomically: true, encoding: .utf8)
    }
}

/// A folder in which an authority works as `openssl ca` wants it.
private struct Workshop {
    let folder: String

    init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder + "/issued", withIntermediateDirectories: true)
        try write("index", "")
        try write("index.attr", "unique_subject = no\n")
        try write("serial", "1000\n")
        try write(
            "ca.conf",
            """
            [ca]
            default_ca = own
            [own]
            database = \(folder)/index
            serial = \(folder)/serial
            new_certs_dir = \(folder)/issued
            certificate = \(folder)/ca.pem
            private_key = \(folder)/ca.key
            default_md = sha256
            policy = any
            copy_extensions = copy
            [any]
            commonName = supplied
            [req]
            distinguished_name = dn
            [dn]

            """)
    }

    func makeAuthority() throws -> String {
        try run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3650",
            "-subj", "/CN=Test Authority", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout",
            folder + "/ca.key",
            "-out", folder + "/ca.pem")
        return folder + "/ca.pem"
    }

    func sign(
        _ name: String, names: String, from: String = "20200101000000Z", to: String = "20890101000000Z"
    ) throws -> TestCertificates.Identity {
        let base = folder + "/" + name
        try run(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-config",
            folder + "/ca.conf", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names, "-keyout", base + ".key",
            "-out", base + ".csr")
        try run(
            "ca", "-batch", "-notext", "-config", folder + "/ca.conf", "-startdate", from, "-enddate", to, "-in",
            base + ".csr", "-out", base + ".pem")
        return .init(certificate: base + ".pem", key: base + ".key")
    }

    func signItself(_ name: String, names: String) throws -> TestCertificates.Identity {
        let base = folder + "/" + name
        try run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "3650",
            "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names, "-keyout", base + ".key", "-out",
            base + ".pem")
        return .init(certificate: base + ".pem", key: base + ".key")
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }

    private func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: "openssl \(arguments[0]): " + String(decoding: said, as: UTF8.self))
        }
    }

    private struct Failure: Error {
        let text: String
    }
}
