/// What a limit counts. The raw values are the names in the config.
public enum LimitScope: String, Hashable, Sendable, CaseIterable {
    case user
    case channel
    case userInChannel = "user_in_channel"
    case network
    case global
}

/// Names one bucket. Parts that don't matter to the scope are empty, whatever was handed in.
public struct LimitKey: Hashable, Sendable {
    public let scope: LimitScope
    public let network: String
    public let conversation: String
    public let user: String
    /// Made once, since a decision looks a key up several times and hashing four texts is most of what that costs.
    private let hash: Int

    public init(_ scope: LimitScope, network: String, conversation: String, user: String) {
        self.scope = scope
        self.network = scope == .global ? "" : network
        self.conversation = scope == .channel || scope == .userInChannel ? conversation : ""
        self.user = scope == .user || scope == .userInChannel ? user : ""
        var hasher = Hasher()
        hasher.combine(scope)
        hasher.combine(self.network)
        hasher.combine(self.conversation)
        hasher.combine(self.user)
        hash = hasher.finalize()
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    public static func == (a: LimitKey, b: LimitKey) -> Bool {
        a.hash == b.hash && a.scope == b.scope && a.user == b.user && a.conversation == b.conversation
            && a.network == b.network
    }
}

extension LimitKey {
    /// A stable spelling for storing: four fields between spaces; `%` and bytes up to 0x20 inside a field as `%XX`.
    public var text: String {
        [scope.rawValue, network, conversation, user].map(escaped).joined(separator: " ")
    }

    /// Reads what `text` wrote; nil for anything else.
    public init?(text: String) {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 4, let scope = LimitScope(rawValue: String(fields[0])),
            let network = unescaped(fields[1]), let conversation = unescaped(fields[2]), let user = unescaped(fields[3])
        else { return nil }
        self.init(scope, network: network, conversation: conversation, user: user)
        guard self.network == network, self.conversation == conversation, self.user == user else { return nil }
    }
}

private func escaped(_ field: String) -> String {
    let isPlain = { (byte: UInt8) in byte > 0x20 && byte != UInt8(ascii: "%") }
    if field.utf8.allSatisfy(isPlain) { return field }
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in field.utf8 {
        if isPlain(byte) {
            bytes.append(byte)
        } else {
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

private func unescaped(_ field: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = field.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
        rest = rest.dropFirst(2)
        bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
}
