import HTTP
import JSON
import Matrix
import MatrixCrypto

/// What a homeserver answers to the calls about keys. The first byte lets some calls be refused.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Input(data, size).bytes
    let choice = bytes.first ?? 0
    let rest = Array(bytes.dropFirst())
    _ = CryptoAnswer.decode(HTTPResponse(status: 401, body: rest))
    guard case .success(.body(let body)) = CryptoAnswer.decode(HTTPResponse(status: 200, body: rest)) else { return 0 }
    do {
        let devices = try Devices(knowingAda: choice & 1 == 0)
        if choice & 1 != 0 { try devices.machine.follow([ada]) }
        let audience = RoomAudience(room: room, joined: [ada, own], invited: [], historyVisibility: "shared")
        var isReady = false
        for round in 0..<4 {
            if try devices.machine.prepare(audience, now: now) == .ready { isReady = true }
            for (number, request) in try devices.machine.requests(now: now).enumerated() {
                if choice >> 1 & 3 == round & 3, number == 0 {
                    try devices.machine.failed(request.id, .refused(errcode: "M_UNKNOWN", text: "no"), now: now)
                } else {
                    _ = try devices.machine.answered(request.id, body, now: now)
                }
            }
        }
        if isReady { _ = try devices.machine.encrypt(type: "m.room.message", content: [:], in: room, now: now) }
    } catch {
        must(
            error as? CryptoError == .otherIdentity || error as? CryptoError == .notPrepared,
            "no answer stops the machine")
    }
    return 0
}
