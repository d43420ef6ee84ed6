/// A number of bytes as people read it: `640 KB`, `1.2 MB`; powers of ten.
enum FileSize {
    static func text(_ bytes: Int) -> String {
        if bytes < 1000 { return "\(bytes) B" }
        // From here on rounding to whole KB would give 1000 KB.
        if bytes < 999_500 { return "\((bytes + 500) / 1000) KB" }
        let tenths = (bytes + 50_000) / 100_000
        return "\(tenths / 10).\(tenths % 10) MB"
    }
}
