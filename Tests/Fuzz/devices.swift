import HTTP
import JSON
import Matrix
import MatrixCrypto

/// To-device events: as anybody can send them to the server, and what stands in the envelopes of a known device.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Input(data, size).bytes
    do {
        let devices = try Devices(knowingAda: false)
        if case .success(let batch) = SyncBatch.decode(HTTPResponse(status: 200, body: bytes)) {
            for event in try devices.machine.received(batch.crypto, now: now) {
                if case .roomKey = event { must(false, "no key is taken that came in clear") }
            }
        }
        _ = try devices.received([try devices.letter(bytes)])
        if let content = try? JSONValue(parsing: bytes), (try? JSONWriter.canonical(content)) != nil {
            for type in ["m.room_key", "m.forwarded_room_key", "m.room_key.withheld", "m.key.verification.start"] {
                _ = try devices.received([try devices.letter(type: type, content)])
            }
        }
        _ = try devices.machine.requests(now: now)
    } catch {
        must(false, "no letter stops the machine")
    }
    return 0
}
