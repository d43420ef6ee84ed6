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
}
