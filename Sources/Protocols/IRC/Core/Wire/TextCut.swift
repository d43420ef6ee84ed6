extension String {
    /// The longest beginning that fits `budget` bytes of UTF-8 and ends between characters as people see them, so that
    /// neither an accent nor a joined emoji loses a part.
    public func cut(toBytes budget: Int) -> String {
        guard utf8.count > budget else { return self }
        var used = 0
        var end = startIndex
        for index in indices {
            used += self[index].utf8.count
            if used > budget { break }
            end = self.index(after: index)
        }
        return String(self[..<end])
    }

    /// The same, but a URL that doesn't fit goes whole: half of one leads astray.
    func cutBeforeURL(toBytes budget: Int) -> String {
        guard utf8.count > budget else { return self }
        let cut = cut(toBytes: budget)
        // A cut right behind a word has lost none of it.
        if utf8[utf8.index(utf8.startIndex, offsetBy: cut.utf8.count)] == 0x20 { return cut }
        let word = cut.utf8.lastIndex(of: 0x20).map { cut.utf8.index(after: $0) } ?? cut.startIndex
        let rest = utf8[utf8.index(utf8.startIndex, offsetBy: cut.utf8.distance(from: cut.startIndex, to: word))...]
        guard Substring(rest.prefix { $0 != 0x20 }).contains("://") else { return cut }
        var end = word
        while end > cut.startIndex, cut.utf8[cut.utf8.index(before: end)] == 0x20 { end = cut.utf8.index(before: end) }
        return String(cut[..<end])
    }

    /// Whether a byte of a kind is there. On the bytes themselves: stepping through a `String` takes many times as long.
    func anyByte(where isMeant: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.contains(where: isMeant) } ?? utf8.contains(where: isMeant)
    }
}
