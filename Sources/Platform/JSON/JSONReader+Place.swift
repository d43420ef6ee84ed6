extension JSONReader {
    /// Where reading stands, for `bytes(since:)`.
    public var place: Int { position }

    /// What was read since, as it was written: for a value that turns out to be needed whole only once what follows it is
    /// known.
    public func bytes(since place: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start + place, count: max(0, position - place)))
    }
}
