import JSON
import MatrixCrypto

/// "Extensions to /sync" of the encryption module, and to-device events.
extension CryptoSync {
    /// True when the key was one of these, and its value was read.
    mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch key {
        case "to_device": try readToDevice(&reader)
        case "device_lists": try readDeviceLists(&reader)
        case "device_one_time_keys_count": oneTimeKeyCounts = try reader.counts()
        case "device_unused_fallback_key_types": unusedFallbackTypes = try reader.texts()
        // The name before it was specified; of both, the other one counts.
        case "org.matrix.msc2732.device_unused_fallback_key_types":
            let types = try reader.texts()
            if unusedFallbackTypes == nil { unusedFallbackTypes = types }
        default: return false
        }
        return true
    }

    private mutating func readToDevice(_ reader: inout JSONReader) throws(JSONError) {
        var events: [ToDeviceEvent] = []
        try reader.events { (reader) throws(JSONError) in
            if let event = try ToDeviceEvent.read(&reader) { events.append(event) }
        }
        toDevice += events
    }

    private mutating func readDeviceLists(_ reader: inout JSONReader) throws(JSONError) {
        guard try reader.beginObjectOrSkip() else { return }
        while let key = try reader.nextKey() {
            switch key {
            case "changed": changed = try reader.texts()
            case "left": left = try reader.texts()
            default: try reader.skip()
            }
        }
    }
}

extension ToDeviceEvent {
    /// Nil for a value that is no event at all: one of them stops none of the others.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> ToDeviceEvent? {
        guard try reader.beginObjectOrSkip() else { return nil }
        var (type, sender) = ("", "")
        var content: JSONValue?
        while let key = try reader.nextKey() {
            switch key {
            case "type": type = try reader.stringOrSkip() ?? ""
            case "sender": sender = try reader.stringOrSkip() ?? ""
            case "content" where try reader.peek() == .object: content = try reader.valueOrNothing()
            default: try reader.skip()
            }
        }
        guard !type.isEmpty, !sender.isEmpty, let content else { return nil }
        return ToDeviceEvent(type: type, sender: sender, content: content)
    }
}

extension JSONReader {
    /// A value as a tree; nil for one that a tree can't hold (a number beyond all bounds). Such a thing stands in no event that
    /// can be read, and must not spoil the sync that brings it.
    mutating func valueOrNothing() throws(JSONError) -> JSONValue? {
        let start = place
        try skip()
        return try? JSONValue(parsing: bytes(since: start), rules: .matrix)
    }

    /// How many there are of each; what isn't a sensible number counts as none.
    mutating func counts() throws(JSONError) -> [String: Int] {
        guard try beginObjectOrSkip() else { return [:] }
        var counts: [String: Int] = [:]
        while let key = try nextKey() {
            let name = key.string
            if let count = try peopleCount() { counts[name] = count }
        }
        return counts
    }
}
