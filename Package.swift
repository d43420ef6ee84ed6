// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same strictness; a warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    // The linker leaves out and joins functions only where each has a section of its own.
    .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
]

/// A release is linked for a small start: equal functions once, relocations packed, no symbols for others, and what a start needs
/// side by side (`scripts/start-order.sh`). `make build` puts libstdc++'s archive into `.build/lean`, and then only what Swift's
/// runtime uses of it is linked. Together 4 MiB of memory and a fifth of the time to start.
let lean: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld", "-L\(Context.packageDirectory)/.build/lean"]
            + [
                "--icf=all", "-z", "pack-relative-relocs", "--no-export-dynamic", "--strip-debug",
                "--symbol-ordering-file=\(Context.packageDirectory)/scripts/start.order", "--no-warn-symbol-ordering",
            ].flatMap { ["-Xlinker", $0] },
        .when(configuration: .release))
]

func swift(_ name: String, _ path: String, _ needs: [String] = [], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: needs.map { .byName(name: $0) }, path: "Sources/" + path,
        exclude: exclude, swiftSettings: strict)
}

/// A Swift target that is the only door to one C library; the module map lies inside its folder.
func door(_ name: String, _ path: String, to module: String, package: String, apt: String, _ needs: [String] = [])
    -> [Target]
{
    [
        .systemLibrary(
            name: module, path: "Sources/\(path)/\(module)", pkgConfig: package, providers: [.apt([apt])]),
        swift(name, path, needs + [module], exclude: [module]),
    ]
}

func tests(_ name: String, _ needs: [String], resources: [Resource] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: needs.map { .byName(name: $0) } + ["TestSupport"], path: "Tests/" + name,
        exclude: exclude, resources: resources, swiftSettings: strict)
}

let platform: [Target] =
    [
        swift("Base", "Platform/Base"),
        swift("JSON", "Platform/JSON"),
        swift("HTTP", "Platform/HTTP"),
        swift("Images", "Platform/Images"),
        swift("Files", "Platform/Files"),
        .systemLibrary(name: "CLinux", path: "Sources/Platform/Net/CLinux"),
        swift("Net", "Platform/Net", ["Base", "Files", "OpenSSL", "CLinux"], exclude: ["CLinux"]),
    ]
    + door("OpenSSL", "Platform/OpenSSL", to: "COpenSSL", package: "openssl", apt: "libssl-dev")
    + door(
        "Curl", "Platform/Curl", to: "CCurl", package: "libcurl", apt: "libcurl4-openssl-dev",
        ["Base", "Files", "HTTP", "Net"])
    + door("YAML", "Platform/YAML", to: "CYAML", package: "yaml-0.1", apt: "libyaml-dev", ["Base"])
    + door("SQLite", "Platform/SQLite", to: "CSQLite", package: "sqlite3", apt: "libsqlite3-dev", ["Base"])

let protocols: [Target] = [
    swift("Chat", "Protocols/Chat", ["Base"]),
    swift("IRC", "Protocols/IRC/Core"),
    swift("IRCAdapter", "Protocols/IRC/Adapter", ["IRC", "Chat", "Base", "Net", "OpenSSL"]),
    swift("Matrix", "Protocols/Matrix/Core", ["JSON", "HTTP", "MatrixCrypto"]),
    swift(
        "MatrixAdapter", "Protocols/Matrix/Adapter",
        ["Matrix", "MatrixCrypto", "Chat", "Base", "Files", "HTTP", "Images", "JSON"]),
    swift("ConsoleAdapter", "Protocols/Console", ["Chat", "Base"]),
]

let encryption: [Target] =
    [swift("MatrixCrypto", "Protocols/Matrix/Crypto", ["JSON"], exclude: ["Libolm"])]
    + [
        // No door of the usual kind: the library is loaded when it is used first.
        .target(name: "COlm", path: "Sources/Protocols/Matrix/Crypto/Libolm/COlm"),
        swift(
            "Libolm", "Protocols/Matrix/Crypto/Libolm", ["JSON", "MatrixCrypto", "COlm"], exclude: ["COlm"]),
    ]

let application: [Target] = [
    .target(name: "CSamples", path: "Sources/GiphySearch/Samples", exclude: ["gifs", "make_samples.py"]),
    swift(
        "GiphySearch", "GiphySearch", ["Base", "Files", "JSON", "HTTP", "Images", "CSamples"],
        exclude: ["Samples", "Index"]),
    swift("FolderIndexing", "GiphySearch/Index", ["Base", "Files", "GiphySearch", "Images", "SQLite"]),
    swift("RateLimiter", "RateLimiter"),
    swift("Bot", "gifbot/Bot", ["Base", "Chat", "GiphySearch", "HTTP", "RateLimiter"]),
    swift(
        "State", "gifbot/State",
        ["Base", "Bot", "Files", "GiphySearch", "IRCAdapter", "MatrixAdapter", "MatrixCrypto", "RateLimiter", "SQLite"]),
    .executableTarget(
        name: "gifbot",
        dependencies: [
            "Base", "Chat", "Files", "HTTP", "Net", "Curl", "YAML", "IRC", "IRCAdapter", "MatrixAdapter",
            "ConsoleAdapter",
            "GiphySearch", "FolderIndexing", "RateLimiter", "Bot", "State", "OpenSSL", "Libolm", "MatrixCrypto", "JSON",
        ],
        path: "Sources/gifbot/Main", swiftSettings: strict, linkerSettings: lean),
]

let testing: [Target] = [
    .target(
        name: "TestSupport", dependencies: ["Base", "Chat", "HTTP", "MatrixCrypto", "Net", "OpenSSL"],
        path: "Tests/TestSupport",
        swiftSettings: strict),
    .executableTarget(
        name: "bench",
        dependencies: [
            "Base", "Bot", "Chat", "FolderIndexing", "GiphySearch", "HTTP", "IRC", "RateLimiter", "TestSupport",
        ],
        path: "Tests/Bench", swiftSettings: strict),
    tests("JSONTests", ["JSON"]),
    tests("ImagesTests", ["Images"]),
    tests("FilesTests", ["Files"]),
    tests("MatrixTests", ["Matrix", "MatrixCrypto", "HTTP", "JSON"]),
    tests(
        "MatrixAdapterTests",
        ["MatrixAdapter", "Matrix", "MatrixCrypto", "Libolm", "OpenSSL", "Chat", "Base", "Files", "HTTP", "JSON"]),
    tests("MatrixCryptoTests", ["MatrixCrypto", "Libolm", "JSON", "OpenSSL"]),
    tests("LibolmTests", ["Libolm", "MatrixCrypto", "OpenSSL"]),
    tests("NetTests", ["Base", "Net", "OpenSSL"]),
    tests("OpenSSLTests", ["OpenSSL"]),
    tests("CurlTests", ["Base", "HTTP", "Net", "Curl"]),
    tests("BotTests", ["Bot", "Base", "Chat", "GiphySearch", "RateLimiter"]),
    tests("ConsoleAdapterTests", ["ConsoleAdapter", "Base", "Chat"]),
    tests("RateLimiterTests", ["RateLimiter"]),
    tests("BaseTests", ["Base"]),
    tests("YAMLTests", ["YAML", "Base"]),
    tests("SQLiteTests", ["SQLite", "Base"]),
    tests(
        "StateTests",
        [
            "State", "SQLite", "Base", "Bot", "Chat", "GiphySearch", "IRCAdapter", "MatrixAdapter", "MatrixCrypto",
            "RateLimiter",
        ]),
    tests(
        "GifbotTests",
        [
            "gifbot", "Base", "Bot", "Chat", "GiphySearch", "IRCAdapter", "JSON", "MatrixAdapter", "MatrixCrypto",
            "Net", "RateLimiter", "State", "YAML",
        ]),
    tests("EndToEnd", []),
    tests("IRCTests", ["IRC", "Base", "Net", "OpenSSL"], resources: [.copy("Vectors"), .copy("Transcripts")]),
    tests("FolderIndexingTests", ["FolderIndexing", "GiphySearch", "Base", "Images"]),
    tests("GiphySearchTests", ["GiphySearch", "Base", "HTTP", "Images"], resources: [.copy("Fixtures")]),
    tests("IRCAdapterTests", ["IRCAdapter", "IRC", "Chat", "Base", "Net", "OpenSSL"]),
]

let package = Package(
    name: "gifbot",
    products: [.executable(name: "gifbot", targets: ["gifbot"])],
    targets: platform + protocols + encryption + application + testing)
