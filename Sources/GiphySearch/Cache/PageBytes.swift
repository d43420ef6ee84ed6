/// A page as bytes for a store, and back. What can't be read is no page.
public enum PageBytes {
    /// Bytes; a larger page isn't stored.
    public static let longest = 128 << 10

    /// Grows with each change of the form: what has another number is no page.
    private static let form: UInt8 = 1

    public static func bytes(of page: SearchPage) -> [UInt8]? {
        let count = page.gifs.reduce(0) { $0 + $1.packed.count }
        guard count <= longest else { return nil }
        let next = page.continuation.map { $0.source.utf8.count + $0.position.utf8.count } ?? 0
        let bytes = ByteWriter.bytes(atMost: 64 + next + count) { writer in
            writer.byte(form)
            writer.optional(page.continuation?.source)
            writer.optional(page.continuation?.position)
            writer.number(page.gifs.count)
            for gif in page.gifs { gif.packed.write(to: &writer) }
        }
        return bytes.count <= longest ? bytes : nil
    }

    public static func page(from bytes: [UInt8]) -> SearchPage? {
        guard bytes.count <= longest else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            var reader = ByteReader(buffer)
            guard reader.byte() == form else { return nil }
            let source = reader.optional().map { reader.string($0) }
            let position = reader.optional().map { reader.string($0) }
            let count = reader.number()
            var gifs: [Gif] = []
            while gifs.count < count {
                guard let packed = PackedGif(checking: &reader, in: bytes), let gif = checked(Gif(packed)) else {
                    return nil
                }
                gifs.append(gif)
            }
            guard !reader.isBroken, reader.isAtEnd else { return nil }
            var next: PageContinuation?
            if let source, let position { next = PageContinuation(source: source, position: position) }
            return SearchPage(gifs: gifs, continuation: next)
        }
    }

    /// Made anew, so that whatever lies on the disk is as fit for a line as what comes from a source.
    private static func checked(_ gif: Gif) -> Gif? {
        let files = gif.renditions
        guard !files.isEmpty, files.allSatisfy(\.isPlausible) else { return nil }
        return Gif(
            id: gif.id, source: gif.source, kind: gif.kind, title: gif.title, rating: gif.rating,
            pageURL: gif.pageURL, author: gif.author, credit: gif.credit, altText: gif.altText, renditions: files)
    }
}

extension Rendition {
    /// So that nobody can count with them beyond the largest number.
    fileprivate var isPlausible: Bool {
        [width, height].allSatisfy { $0.map { $0 <= 1 << 20 } ?? true } && byteCount.map { $0 <= 1 << 40 } ?? true
    }
}
