/// The name of a GIF in a channel's collection: letters, digits, `-` and `_`, so that it can be said again without harm.
enum SavedName {
    /// Bytes.
    static let longest = 32

    /// The name in `text`, which may have colons around it; nil when it is none.
    static func name(_ text: String) -> String? {
        let bare =
            text.utf8.count > 2 && text.hasPrefix(":") && text.hasSuffix(":") ? text.dropFirst().dropLast() : text[...]
        guard !bare.isEmpty, bare.utf8.count <= longest, bare.unicodeScalars.allSatisfy(isAllowed) else { return nil }
        return String(bare)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        }
        let category = scalar.properties.generalCategory
        return scalar.properties.isAlphabetic || category == .decimalNumber || category == .nonspacingMark
    }
}
