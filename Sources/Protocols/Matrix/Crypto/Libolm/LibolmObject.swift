import COlm
import MatrixCrypto

/// The memory that one of libolm's objects lives in. It is cleared when nobody needs it any more.
final class LibolmObject {
    /// The functions that each kind of object has of its own.
    struct Kind: Sendable {
        let size: @Sendable () -> Int
        let make: @Sendable (UnsafeMutableRawPointer) -> OpaquePointer?
        let clear: @Sendable (OpaquePointer) -> Int
        let lastError: @Sendable (OpaquePointer) -> UnsafePointer<CChar>?
    }

    let pointer: OpaquePointer
    private let memory: UnsafeMutableRawPointer
    private let kind: Kind

    /// Also loads the library, so that everything else of it may be called once there is an object.
    init(_ kind: Kind) throws(OlmError) {
        if let trouble = LibolmDriver.trouble { throw OlmError(.notInstalled, trouble) }
        self.kind = kind
        memory = .allocate(byteCount: kind.size(), alignment: 16)
        guard let pointer = kind.make(memory) else {
            memory.deallocate()
            throw OlmError(.other, "libolm made no object")
        }
        self.pointer = pointer
    }

    deinit {
        _ = kind.clear(pointer)
        memory.deallocate()
    }

    /// Runs a function of the library that tells an error by its result, and says which it was.
    @discardableResult
    func call(_ function: (OpaquePointer) -> Int) throws(OlmError) -> Int {
        let result = function(pointer)
        guard result != olm_error() else { throw lastError() }
        return result
    }

    /// Lets a function fill a buffer, and gives what it says it wrote; without a word from it, the whole buffer.
    func bytes(
        _ count: Int, whole: Bool = false, _ function: (OpaquePointer, UnsafeMutableRawPointer) -> Int
    ) throws(OlmError) -> [UInt8] {
        guard count != olm_error() else { throw lastError() }
        var buffer = [UInt8](repeating: 0, count: count)
        let result = function(pointer, &buffer)
        guard result != olm_error() else { throw lastError() }
        if !whole && result < count { buffer.removeLast(count - result) }
        return buffer
    }

    func text(
        _ count: Int, whole: Bool = false, _ function: (OpaquePointer, UnsafeMutableRawPointer) -> Int
    ) throws(OlmError) -> String {
        String(decoding: try bytes(count, whole: whole, function), as: UTF8.self)
    }

    private func lastError() -> OlmError {
        guard let text = kind.lastError(pointer) else { return OlmError(.other, "no reason given") }
        let word = String(cString: text)
        return OlmError(Self.reasons[word] ?? .other, word)
    }

    private static let reasons: [String: OlmError.Reason] = [
        "BAD_MESSAGE_VERSION": .badMessage, "BAD_MESSAGE_FORMAT": .badMessage, "BAD_MESSAGE_MAC": .badMessage,
        "BAD_SIGNATURE": .badMessage, "INVALID_BASE64": .badMessage,
        "BAD_MESSAGE_KEY_ID": .unknownOneTimeKey,
        "UNKNOWN_MESSAGE_INDEX": .unknownMessageIndex,
        // Also for a damaged pickle: what fails is its authentication code.
        "BAD_ACCOUNT_KEY": .wrongPickleKey,
        "UNKNOWN_PICKLE_VERSION": .badPickle, "CORRUPTED_PICKLE": .badPickle, "PICKLE_EXTRA_DATA": .badPickle,
        "BAD_LEGACY_ACCOUNT_PICKLE": .badPickle,
        "BAD_SESSION_KEY": .badKey,
    ]
}

/// A key of 32 bytes, spelled the one way that libolm takes: it looks at nothing but the length.
func canonicalKey(_ key: String) throws(OlmError) -> [UInt8] {
    guard let bytes = Base64.decode(key), bytes.count == 32 else { throw OlmError(.badKey, "no key of 32 bytes") }
    return Array(Base64.encode(bytes).utf8)
}

/// A message, spelled the one way that libolm takes. A new buffer each time, since the library destroys what it reads.
func canonicalMessage(_ body: String) throws(OlmError) -> [UInt8] {
    guard let bytes = Base64.decode(body), !bytes.isEmpty else { throw OlmError(.badMessage, "INVALID_BASE64") }
    return Array(Base64.encode(bytes).utf8)
}

extension LibolmObject {
    /// The same call for every kind: makes the object anew from a pickle.
    func unpickle(
        _ pickle: [UInt8], key: [UInt8],
        _ function: (OpaquePointer?, UnsafeRawPointer, Int, UnsafeMutableRawPointer, Int) -> Int
    ) throws(OlmError) {
        // libolm takes all bytes for base64, whatever they are.
        guard Base64.decode(String(decoding: pickle, as: UTF8.self)) != nil else {
            throw OlmError(.badPickle, "INVALID_BASE64")
        }
        var buffer = pickle
        try call { function($0, key, key.count, &buffer, buffer.count) }
    }
}
