import Base
import MatrixCrypto

extension MatrixAdapter {
    func verificationCame(_ event: ToDeviceEvent) {
        log.debug("a step of a verification came", ["from": event.sender, "type": event.type])
    }
}
