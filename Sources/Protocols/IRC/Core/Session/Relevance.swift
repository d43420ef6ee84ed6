import Glibc

/// Decides on the raw bytes of a line whether it can mean anything to us, before anything is parsed or allocated.
/// Most of what a busy channel sends ends here. It may let too much through, never too little.
struct Relevance: Sendable {
    private static let startsText: UInt8 = 1
    private static let startsChannel: UInt8 = 2

    /// What a byte can be: the beginning of a command's text, of a channel's name.
    private var classes: [UInt8] = Array(repeating: 0xFF, count: 256)
    private var fold: [UInt8] = Casemapping.rfc1459.table
    private var nick: [UInt8] = []
    /// JOIN and ACCOUNT of others are the only source of their accounts.
    private var needsEverybody = false
    /// Our own messages come back to us, and tell their ids.
    private var hasEcho = false
    /// A message of several lines is coming, of which only the first begins like a command: whatever is in a batch counts.
    var takesAllTexts = false
    /// A Bloom filter of one hash for the nicks whose comings and goings matter; a power of two of bits.
    private var names: [UInt64] = Array(repeating: 0, count: 64)
    private var watched = 0
    private var watchedAtStart = 0

    mutating func configure(
        nick: String, triggers: [String], hasRelays: Bool, support: ServerSupport, needsEverybody: Bool, hasEcho: Bool
    ) {
        fold = support.casemapping.table
        self.nick = nick.utf8.map { support.casemapping.folded($0) }
        self.needsEverybody = needsEverybody
        self.hasEcho = hasEcho
        classes = (0...255).map { $0 < 0x21 || $0 >= 0x7F ? Self.startsText : 0 }
        for trigger in triggers {
            guard let first = trigger.utf8.first else {
                classes = classes.map { $0 | Self.startsText }
                continue
            }
            for byte in [first, Casemapping.ascii.folded(first), first.uppercasedASCII] {
                classes[Int(byte)] |= Self.startsText
            }
        }
        if hasRelays { classes[Int(UInt8(ascii: "<"))] |= Self.startsText }
        for byte in support.channelTypes + support.statusPrefixes { classes[Int(byte)] |= Self.startsChannel }
    }

    /// From now on JOIN, PART, QUIT and NICK of this person come through.
    mutating func watch(_ nick: FoldedName) {
        watched += 1
        nick.bytes.withUnsafeBytes { bytes in
            let bit = bit(hash(bytes, 0).hash)
            names[bit >> 6] |= 1 << UInt64(bit & 63)
        }
    }

    /// Most of those watched may be gone: worth beginning anew with those who are there.
    var isCrowded: Bool { watched > max(256, 2 * watchedAtStart) }

    /// Forgets everybody, and makes room for so many: at 16 bits each few strangers pass for one of them.
    mutating func beginWatching(_ count: Int) {
        var words = 64
        while words * 4 < count, words < 4096 { words *= 2 }
        names = Array(repeating: 0, count: words)
        watched = 0
        watchedAtStart = count
    }

    func canMatter(_ line: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        guard let first = line.first else { return false }
        if first == UInt8(ascii: "@") {
            guard let next = wordAfter(0, in: line) else { return true }
            position = next
        }
        guard line[position] == UInt8(ascii: ":"), let command = wordAfter(position, in: line) else { return true }
        // A bouncer's own voice (`***`, `*status`) marks where its history begins and ends.
        let source = position + 1
        guard line[source] != UInt8(ascii: "*"), command + 8 <= line.count else { return true }
        let word = UInt64(littleEndian: line.loadUnaligned(fromByteOffset: command, as: UInt64.self))
        if takesAllTexts, isInBatch(line, position) { return true }
        if word == Word.privmsg { return privmsgCanMatter(line, command + 8) || isEcho(line, source) }
        if Word.everybody.contains(where: { $0.matches(word) }) {
            return isWatched(line, source) || (needsEverybody && tellsAccount(line, command))
        }
        if Word.chatter.contains(where: { $0.matches(word) }) { return isWatched(line, source) }
        if Word.notice.matches(word) { return noticeCanMatter(line, source, command + 7) || isEcho(line, source) }
        return true
    }

    /// A JOIN of somebody who isn't logged in has `*` behind the channel, and tells nothing.
    private func tellsAccount(_ line: UnsafeRawBufferPointer, _ command: Int) -> Bool {
        guard Word.join.matches(UInt64(littleEndian: line.loadUnaligned(fromByteOffset: command, as: UInt64.self)))
        else { return true }
        guard let channel = wordAfter(command, in: line), let account = wordAfter(channel, in: line) else {
            return false
        }
        return line[account] != UInt8(ascii: "*")
    }

    /// The line's source is our own nick.
    private func isEcho(_ line: UnsafeRawBufferPointer, _ source: Int) -> Bool {
        guard hasEcho, source + nick.count < line.count else { return false }
        for index in nick.indices where fold[Int(line[source + index])] != nick[index] { return false }
        return line[source + nick.count] == UInt8(ascii: "!")
    }

    /// One of the tags, which end at `end`, is `batch`.
    private func isInBatch(_ line: UnsafeRawBufferPointer, _ end: Int) -> Bool {
        guard let base = line.baseAddress else { return false }
        var tag = 1
        while tag + 8 <= end {
            if Word.batch.matches(UInt64(littleEndian: line.loadUnaligned(fromByteOffset: tag, as: UInt64.self))) {
                return true
            }
            guard let next = memchr(base + tag, Int32(UInt8(ascii: ";")), end - tag) else { return false }
            tag = next - UnsafeMutableRawPointer(mutating: base) + 1
        }
        return false
    }

    private func privmsgCanMatter(_ line: UnsafeRawBufferPointer, _ target: Int) -> Bool {
        guard target < line.count, classes[Int(line[target])] & Self.startsChannel != 0 else { return true }
        guard var text = wordAfter(target, in: line) else { return false }
        if line[text] == UInt8(ascii: ":") { text += 1 }
        guard text < line.count else { return false }
        let byte = line[text]
        if classes[Int(byte)] & Self.startsText != 0 {
            return byte != 0x01 || !isAction(line, text + 1)
        }
        return addressesUs(line, text)
    }

    /// `gifbot:` or `gifbot,`
    private func addressesUs(_ line: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        let end = start + nick.count
        guard end < line.count, line[end] == UInt8(ascii: ":") || line[end] == UInt8(ascii: ",") else { return false }
        for index in nick.indices where fold[Int(line[start + index])] != nick[index] { return false }
        return true
    }

    /// What somebody does is never a command, and quite frequent.
    private func isAction(_ line: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        guard start + 8 <= line.count else { return false }
        return Word.action.matches(UInt64(littleEndian: line.loadUnaligned(fromByteOffset: start, as: UInt64.self)))
    }

    /// Notices of people to a channel never matter; those of servers and to us may.
    private func noticeCanMatter(_ line: UnsafeRawBufferPointer, _ source: Int, _ target: Int) -> Bool {
        guard target < line.count, classes[Int(line[target])] & Self.startsChannel != 0 else { return true }
        return line[hash(line, source).end] != UInt8(ascii: "!")
    }

    private func isWatched(_ line: UnsafeRawBufferPointer, _ source: Int) -> Bool {
        let bit = bit(hash(line, source).hash)
        return names[bit >> 6] & 1 << UInt64(bit & 63) != 0
    }

    /// FNV-1a over the folded bytes of a nick, up to what ends it.
    private func hash(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> (hash: UInt32, end: Int) {
        var hash: UInt32 = 2_166_136_261
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "!") || byte == 0x20 || byte == UInt8(ascii: "@") { break }
            hash = (hash ^ UInt32(fold[Int(byte)])) &* 16_777_619
            index += 1
        }
        return (hash, index)
    }

    private func bit(_ hash: UInt32) -> Int {
        Int(hash ^ hash >> 15) & (names.count << 6 - 1)
    }

    /// Where the next word begins; nil if there is none.
    private func wordAfter(_ start: Int, in line: UnsafeRawBufferPointer) -> Int? {
        guard let base = line.baseAddress, let found = memchr(base + start, 0x20, line.count - start) else {
            return nil
        }
        var next = found - UnsafeMutableRawPointer(mutating: base) + 1
        while next < line.count, line[next] == 0x20 { next += 1 }
        return next < line.count ? next : nil
    }
}

/// The first eight bytes of a command as one number.
private struct Word {
    let value: UInt64
    let mask: UInt64

    init(_ text: StaticString) {
        var value: UInt64 = 0
        for index in 0..<text.utf8CodeUnitCount {
            value |= UInt64(text.utf8Start[index]) << UInt64(8 * index)
        }
        self.value = value
        mask = text.utf8CodeUnitCount == 8 ? .max : 1 << UInt64(8 * text.utf8CodeUnitCount) - 1
    }

    func matches(_ word: UInt64) -> Bool { word & mask == value }

    static let privmsg = Word("PRIVMSG ").value
    static let notice = Word("NOTICE ")
    static let action = Word("ACTION")
    /// What tells where people are and who they are.
    static let batch = Word("batch=")
    static let join = Word("JOIN ")
    static let everybody = [join, Word("ACCOUNT ")]
    static let chatter = [
        Word("PART "), Word("QUIT"), Word("NICK "), Word("AWAY"), Word("TOPIC "), Word("TAGMSG "), Word("SETNAME "),
        Word("CHGHOST "),
    ]
}

extension UInt8 {
    fileprivate var uppercasedASCII: UInt8 {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self ? self - 32 : self
    }
}
