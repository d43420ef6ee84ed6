public import Files
public import Images

/// The header of a file that may hold moving pictures.
public enum AnimatedFile {
    /// Of a file's beginning: enough for a large first frame. Most are judged by the first, smaller piece.
    private static let firstPiece = 64 << 10
    private static let secondPiece = 4 << 20

    /// Hidden files and other endings are passed over unread.
    public static func isCandidate(_ name: some StringProtocol) -> Bool {
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return false }
        return ["gif", "webp", "png", "apng", "mp4"].contains(name[name.index(after: dot)...].lowercased())
    }

    /// Nil for what is damaged or something else; `bytes` is the file's whole size.
    public static func header(of file: borrowing FileDescriptor, bytes: Int) -> ImageHeader? {
        let piece = file.piece(from: 0, upTo: min(bytes, firstPiece))
        let isWhole = piece.count >= bytes
        // The strict question first: a second frame in the first piece settles it.
        if let header = ImageHeader.parse(piece, isWhole: true), header.isAnimated || isWhole { return header }
        guard !isWhole else { return nil }
        if MovieBoxes.isMovie(piece) {
            return MovieBoxes.header(of: file, bytes: bytes)
        }
        let larger = file.piece(from: 0, upTo: min(bytes, secondPiece))
        return ImageHeader.parse(larger, isWhole: larger.count >= bytes)
    }
}
