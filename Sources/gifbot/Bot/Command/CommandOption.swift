import GiphySearch

/// The options that may stand before the words, each followed by its value.
enum CommandOption: String, CaseIterable, Sendable {
    case position = "-n"
    case rating = "--rating"
    case language = "--lang"

    /// What a value must be, for a hint.
    var expected: String {
        switch self {
        case .position: "a number from 1 to \(Self.lastPosition)"
        case .rating: Rating.allCases.map(\.rawValue).joined(separator: ", ")
        case .language: "a language such as en, fr or zh-CN"
        }
    }

    /// No source sends longer pages.
    static let lastPosition = 50

    /// Notes the value; false when it isn't one.
    func apply(_ value: String, to argument: inout SearchArgument) -> Bool {
        switch self {
        case .position:
            guard let number = Int(value), (1...Self.lastPosition).contains(number) else { return false }
            argument.position = number
        case .rating:
            guard let rating = Rating(rawValue: value.lowercased()) else { return false }
            argument.rating = rating
        case .language:
            guard let language = Language.canonical(value) else { return false }
            argument.language = language
        }
        return true
    }
}
