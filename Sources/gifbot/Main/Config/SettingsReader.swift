import Base

/// Reads the config off the loop: it blocks, and a large file takes milliseconds.
actor SettingsReader {
    private let file: SettingsFile
    private let executor = QueueExecutor(label: "config")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ file: SettingsFile) {
        self.file = file
    }

    func load() -> LoadedSettings { file.load() }
}
