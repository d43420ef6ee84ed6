import COlm
import MatrixCrypto

extension LibolmObject.Kind {
    fileprivate static let sas = Self(
        size: olm_sas_size, make: olm_sas, clear: olm_clear_sas, lastError: olm_sas_last_error)
}

final class LibolmShortAuthentication: ShortAuthentication {
    let publicKey: String
    private let object: LibolmObject

    init(random: (Int) -> [UInt8]) throws(OlmError) {
        let object = try LibolmObject(.sas)
        self.object = object
        var bytes = random(olm_create_sas_random_length(object.pointer))
        try object.call { olm_create_sas($0, &bytes, bytes.count) }
        let count = olm_sas_pubkey_length(object.pointer)
        publicKey = try object.text(count, whole: true) { olm_sas_get_pubkey($0, $1, count) }
    }

    func setTheirKey(_ key: String) throws(OlmError) {
        var key = try canonicalKey(key)
        try object.call { olm_sas_set_their_key($0, &key, key.count) }
    }

    func bytes(_ count: Int, info: String) throws(OlmError) -> [UInt8] {
        let info = Array(info.utf8)
        return try object.bytes(count, whole: true) { olm_sas_generate_bytes($0, info, info.count, $1, count) }
    }

    func authenticationCode(of message: String, info: String) throws(OlmError) -> String {
        let (message, info) = (Array(message.utf8), Array(info.utf8))
        let count = olm_sas_mac_length(object.pointer)
        return try object.text(count, whole: true) {
            olm_sas_calculate_mac_fixed_base64($0, message, message.count, info, info.count, $1, count)
        }
    }
}
