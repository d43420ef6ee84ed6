extension OlmMachine {
    /// Our public master key, once the account has it; what others trust instead of each device.
    public var ownMasterKey: String? { crossSigning?.masterKey }

    /// The verifications of this device; used from the machine's thread.
    public func makeVerifications(sha256: @escaping ([UInt8]) -> [UInt8]) -> VerificationDesk {
        VerificationDesk(
            user: userID, device: deviceID, deviceKey: identityKeys.ed25519, driver: context.driver, sha256: sha256,
            random: context.random, user: { [tracker] in tracker.user($0) })
    }
}
