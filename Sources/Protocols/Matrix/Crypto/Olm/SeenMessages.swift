/// The Olm messages read last. A sync that comes again (the program was killed, or the store failed, before it was
/// acknowledged) brings messages whose keys are gone; without this they would look like a broken session.
struct SeenMessages {
    static let limit = 400
    static let name = "olm.seen"

    private var marks: [String] = []
    private var set: Set<String> = []
    private(set) var isChanged = false

    init(stored bytes: [UInt8]?) {
        guard let bytes else { return }
        marks = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(Self.limit).map(String.init)
        set = Set(marks)
    }

    /// The end of a message is its code of authentication: nobody can make another one with it by chance.
    private static func mark(_ message: OlmMessage, from identityKey: String) -> String {
        String(decoding: identityKey.utf8.prefix(8), as: UTF8.self)
            + String(decoding: message.body.utf8.suffix(24), as: UTF8.self)
    }

    func contains(_ message: OlmMessage, from identityKey: String) -> Bool {
        set.contains(Self.mark(message, from: identityKey))
    }

    mutating func insert(_ message: OlmMessage, from identityKey: String) {
        let mark = Self.mark(message, from: identityKey)
        guard !mark.utf8.contains(UInt8(ascii: "\n")), set.insert(mark).inserted else { return }
        marks.append(mark)
        if marks.count > Self.limit { set.remove(marks.removeFirst()) }
        isChanged = true
    }

    /// What to store now.
    mutating func stored() -> [UInt8] {
        isChanged = false
        return Array(marks.joined(separator: "\n").utf8)
    }
}
