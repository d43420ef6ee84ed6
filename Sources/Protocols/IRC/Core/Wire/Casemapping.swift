/// How a server compares nicks and channels (ISUPPORT CASEMAPPING). Only ASCII letters and a few marks are folded,
/// never by Unicode's rules: the Kelvin sign is no K.
public enum Casemapping: String, Sendable, CaseIterable {
    case ascii
    /// `[]\~` are the capitals of `{}|^`.
    case rfc1459
    /// The same without `~` and `^`.
    case strictRFC1459 = "strict-rfc1459"

    /// A server that folds by Unicode's rules has a name that isn't here. In ASCII at least it doesn't take marks for
    /// letters, and two names held apart by mistake do less harm than two taken for one.
    init(serverName: String) {
        self = Casemapping(rawValue: serverName.lowercasedASCII) ?? .ascii
    }

    /// 256 bytes: what each byte is compared as.
    var table: [UInt8] { Self.tables[self]! }

    private static let tables: [Casemapping: [UInt8]] = Dictionary(
        uniqueKeysWithValues: allCases.map { mapping in
            (mapping, (0...255).map { mapping.folded($0) })
        })

    func folded(_ byte: UInt8) -> UInt8 {
        if byte >= UInt8(ascii: "A"), byte <= lastCapital { return byte + 32 }
        if self == .rfc1459, byte == UInt8(ascii: "~") { return UInt8(ascii: "^") }
        return byte
    }

    /// In ASCII the capitals from A up to ] lie 32 below their partners; ~ and ^ are the odd pair.
    private var lastCapital: UInt8 {
        switch self {
        case .ascii: UInt8(ascii: "Z")
        case .rfc1459, .strictRFC1459: UInt8(ascii: "]")
        }
    }

    /// The name as a key for tables.
    public func fold(_ name: String) -> FoldedName {
        var bytes = Array(name.utf8)
        let last = lastCapital
        for index in bytes.indices where bytes[index] >= UInt8(ascii: "A") {
            let byte = bytes[index]
            if byte <= last {
                bytes[index] = byte + 32
            } else if byte == UInt8(ascii: "~") {
                bytes[index] = folded(byte)
            }
        }
        return FoldedName(bytes: bytes)
    }

    public func equal(_ a: String, _ b: String) -> Bool {
        equal(a.utf8, b.utf8)
    }

    func equal(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { folded($0) == folded($1) }
    }
}

/// A nick or channel as it is compared: by its bytes, since `String` takes two spellings of é for equal.
public struct FoldedName: Hashable, Sendable {
    public let bytes: [UInt8]

    public var text: String { String(decoding: bytes, as: UTF8.self) }
}
