/// The languages that GIPHY takes as `lang` (its documentation, "language support"); other sources map from these.
enum Language {
    static let all = [
        "en", "es", "pt", "id", "fr", "ar", "tr", "th", "vi", "de", "it", "ja", "zh-CN", "zh-TW", "ru", "ko", "pl",
        "nl", "ro", "hu", "sv", "cs", "hi", "bn", "da", "fa", "tl", "fi", "he", "ms", "no", "uk",
    ]

    /// The list's own spelling of a tag written in any letter case.
    static func canonical(_ text: String) -> String? {
        let lower = text.lowercased()
        return all.first { $0.lowercased() == lower }
    }
}
