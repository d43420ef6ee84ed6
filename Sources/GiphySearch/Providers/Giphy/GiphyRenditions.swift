import JSON

/// The renditions of one item while it is read, in the order in which they are preferred; used again for the next item. Still
/// ones, previews and those with six frames have no slot.
struct GiphyRenditions {
    private struct Raw {
        var url: JSONText
        var width: Side
        var height: Side
        var byteCount: Int64?

        var hasDimensions: Bool { width.pixels != nil && height.pixels != nil }
    }

    /// One dimension.
    private enum Side: Equatable {
        case pixels(Int)
        case unknown
        /// Written as 0: a rendition that doesn't exist.
        case zero

        init(_ number: Int64?) {
            switch number {
            case .some(0): self = .zero
            case .some(let number) where (1...16384).contains(number): self = .pixels(Int(number))
            case .some, .none: self = .unknown
            }
        }

        var pixels: Int? {
            if case .pixels(let count) = self { count } else { nil }
        }
    }

    private var slots = [Raw?](repeating: nil, count: 6)

    mutating func clear() {
        for index in slots.indices { slots[index] = nil }
    }

    mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            if let slot = slot(of: key) {
                slots[slot] = try readRendition(&reader)
            } else {
                try reader.skip()
            }
        }
    }

    private func slot(of key: JSONText) -> Int? {
        switch key {
        case "original": 0
        case "downsized_large": 1
        case "downsized_medium": 2
        case "downsized": 3
        case "fixed_height": 4
        case "fixed_width": 5
        default: nil
        }
    }

    private func readRendition(_ reader: inout JSONReader) throws(JSONError) -> Raw? {
        guard try reader.beginObjectOrSkip() else { return nil }
        var url: JSONText?
        var width: Int64?
        var height: Int64?
        var byteCount: Int64?
        while let key = try reader.nextKey() {
            switch key {
            case "url": url = try reader.textOrSkip()
            case "width": width = try reader.wholeNumberOrSkip()
            case "height": height = try reader.wholeNumberOrSkip()
            case "size": byteCount = try reader.wholeNumberOrSkip()
            default: try reader.skip()
            }
        }
        guard let url, !url.isEmpty else { return nil }
        let raw = Raw(url: url, width: Side(width), height: Side(height), byteCount: byteCount)
        return raw.width == .zero || raw.height == .zero ? nil : raw
    }

    /// Leaves those that may be posted, each link once, and counts them. One without dimensions counts only where none has them.
    mutating func keepThose(allowedBy media: MediaRule) -> Int {
        var measured = 0
        var others = 0
        for index in slots.indices {
            guard let slot = slots[index] else { continue }
            guard !isRepeat(slot, at: index), slot.url.withBytes({ media.allows($0) }) else {
                slots[index] = nil
                continue
            }
            if slot.hasDimensions { measured += 1 } else { others += 1 }
        }
        guard measured > 0, others > 0 else { return measured + others }
        for index in slots.indices where slots[index]?.hasDimensions == false { slots[index] = nil }
        return measured
    }

    /// Bytes that they take at most.
    var most: Int {
        slots.reduce(0) { $0 + ($1.map { PackedFile.mostBesideTexts + $0.url.mostBytes } ?? 0) }
    }

    func write(to writer: inout ByteWriter) {
        var first: JSONText?
        for slot in slots {
            guard let slot else { continue }
            PackedFile.write(
                slot.url, first: first, width: slot.width.pixels, height: slot.height.pixels,
                byteCount: slot.byteCount.flatMap { $0 > 0 && $0 <= 1 << 40 ? Int($0) : nil }, to: &writer)
            first = first ?? slot.url
        }
    }

    /// The same link stands under another name too, and there with dimensions, or earlier.
    private func isRepeat(_ raw: Raw, at index: Int) -> Bool {
        for (other, slot) in slots.enumerated() where other != index {
            guard let slot, slot.url.isSpelled(like: raw.url) else { continue }
            if slot.hasDimensions != raw.hasDimensions ? slot.hasDimensions : other < index { return true }
        }
        return false
    }
}
