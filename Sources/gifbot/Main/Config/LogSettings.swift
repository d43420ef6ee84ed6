import Base

/// The `log:` section.
struct LogSettings: Equatable {
    var level = LogLevel.info
    var format = LogFormat.text

    private enum LevelName: String, CaseIterable {
        case debug, info, warning, error
    }

    init() {}

    init(_ map: ConfigMap) {
        switch map.choice("level", LevelName.self) {
        case .debug: level = .debug
        case .warning: level = .warning
        case .error: level = .error
        case .info, nil: level = .info
        }
        format = map.choice("format", LogFormat.self) ?? .text
        map.finish()
    }
}
