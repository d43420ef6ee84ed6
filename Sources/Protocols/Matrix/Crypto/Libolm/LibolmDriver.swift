import COlm
public import MatrixCrypto

/// libolm as a driver. Its randomness is handed in, as the library wants it.
public struct LibolmDriver: OlmDriver {
    /// Why there is no libolm on this machine and what to do about it; nil where it is. The program isn't linked with it,
    /// so nothing else tells. Loads it.
    public static var trouble: String? {
        COlm_load().map { "libolm can't be loaded (\(String(cString: $0))); install the package libolm3" }
    }

    let random: (Int) -> [UInt8]

    public init(random: @escaping (Int) -> [UInt8]) {
        self.random = random
    }

    public func makeAccount() throws(OlmError) -> any OlmAccount {
        let object = try LibolmObject(.account)
        var bytes = random(olm_create_account_random_length(object.pointer))
        try object.call { olm_create_account($0, &bytes, bytes.count) }
        return try LibolmAccount(object, random: random)
    }

    public func account(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any OlmAccount {
        let object = try LibolmObject(.account)
        try object.unpickle(pickle, key: key, olm_unpickle_account)
        return try LibolmAccount(object, random: random)
    }

    public func session(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any OlmSession {
        let object = try LibolmObject(.session)
        try object.unpickle(pickle, key: key, olm_unpickle_session)
        return try LibolmSession(object, random: random)
    }

    public func makeOutboundGroupSession() throws(OlmError) -> any OutboundGroupSession {
        let object = try LibolmObject(.outboundGroupSession)
        var bytes = random(olm_init_outbound_group_session_random_length(object.pointer))
        try object.call { olm_init_outbound_group_session($0, &bytes, bytes.count) }
        return try LibolmOutboundGroupSession(object)
    }

    public func outboundGroupSession(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any OutboundGroupSession {
        let object = try LibolmObject(.outboundGroupSession)
        try object.unpickle(pickle, key: key, olm_unpickle_outbound_group_session)
        return try LibolmOutboundGroupSession(object)
    }

    public func inboundGroupSession(sessionKey: String) throws(OlmError) -> any InboundGroupSession {
        guard let bytes = Base64.decode(sessionKey) else { throw OlmError(.badKey, "INVALID_BASE64") }
        let object = try LibolmObject(.inboundGroupSession)
        let text = Array(Base64.encode(bytes).utf8)
        do {
            try object.call { olm_init_inbound_group_session($0, text, text.count) }
        } catch {
            // Its signature or its form: whatever it is, no key came.
            throw OlmError(.badKey, error.text)
        }
        return try LibolmInboundGroupSession(object)
    }

    public func inboundGroupSession(exported sessionKey: String) throws(OlmError) -> any InboundGroupSession {
        guard let bytes = Base64.decode(sessionKey) else { throw OlmError(.badKey, "INVALID_BASE64") }
        let object = try LibolmObject(.inboundGroupSession)
        let text = Array(Base64.encode(bytes).utf8)
        do {
            try object.call { olm_import_inbound_group_session($0, text, text.count) }
        } catch {
            throw OlmError(.badKey, error.text)
        }
        return try LibolmInboundGroupSession(object)
    }

    public func inboundGroupSession(from pickle: [UInt8], key: [UInt8]) throws(OlmError) -> any InboundGroupSession {
        let object = try LibolmObject(.inboundGroupSession)
        try object.unpickle(pickle, key: key, olm_unpickle_inbound_group_session)
        return try LibolmInboundGroupSession(object)
    }

    public func signingKey(seed: [UInt8]) throws(OlmError) -> any SigningKey {
        try LibolmSigningKey(seed: seed)
    }

    public func isSigned(_ message: [UInt8], by key: String, signature: String) -> Bool {
        Signature.isValid(signature, of: message, by: key)
    }

    public func makeShortAuthentication() throws(OlmError) -> any ShortAuthentication {
        try LibolmShortAuthentication(random: random)
    }
}
