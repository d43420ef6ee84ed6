import JSON

/// One verification by short strings ("Short Authentication String (SAS) verification"), from the request to the end.
final class Verification {
    enum State {
        /// We asked. → ready, theirs started, over.
        case asking
        /// They asked (with a start right away by clients that know no requests): somebody here decides. → ready, promised, over.
        case asked(start: JSONValue?)
        /// Both want it and nobody has begun. → begun, promised, over.
        case ready
        /// Our start is out. → revealed; promised when their start counts; over.
        case begun(start: JSONValue)
        /// We accepted their start, and promised a key. → comparing, over.
        case promised(any ShortAuthentication, accept: JSONValue)
        /// Our key is out, theirs is promised. → comparing, over.
        case revealed(any ShortAuthentication, start: JSONValue, accept: JSONValue)
        /// Both keys are known; the people compare. Their codes may come first. → proving, over.
        case comparing(SASCodes, theirCodes: JSONValue?)
        /// Our codes are out. → ending, over.
        case proving(SASCodes)
        /// Theirs are good; they say that they are done too. → over.
        case ending(VerifiedKeys)
        case over
    }

    let id: VerificationID
    /// Milliseconds since 1970.
    let deadline: Int64
    let isRequested: Bool
    private(set) var state: State
    /// The device that takes part; not known while we ask several.
    private(set) var device: String?
    /// All devices that we asked.
    private var askedDevices: [String] = []
    /// It owns this one.
    private unowned let desk: VerificationDesk

    /// We ask.
    init(_ id: VerificationID, asking devices: [String], deadline: Int64, desk: VerificationDesk) {
        self.id = id
        self.deadline = deadline
        self.desk = desk
        isRequested = true
        askedDevices = devices
        state = .asking
    }

    /// They ask.
    init(_ id: VerificationID, from device: String, start: JSONValue?, deadline: Int64, desk: VerificationDesk) {
        self.id = id
        self.device = device
        self.deadline = deadline
        self.desk = desk
        isRequested = start == nil
        state = .asked(start: start)
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    // MARK: The person here

    func accept() {
        guard case .asked(let start) = state else { return }
        if let start { return answer(start) }
        send("ready", ["from_device": .string(desk.own.device), "methods": [.string(SASOffer.method)]])
        state = .ready
        begin()
    }

    func compared(isSame: Bool) {
        guard case .comparing(let codes, let theirs) = state else { return }
        guard isSame else { return cancel(.stringsDiffer) }
        do {
            send("mac", try codes.content(of: desk.ownKeys))
        } catch {
            return cancel(.invalid)
        }
        state = .proving(codes)
        if let theirs { prove(theirs) }
    }

    /// Ends it; the other side is told unless it knows.
    func cancel(_ end: VerificationEnd) {
        guard !isOver else { return }
        state = .over
        if !end.isByThem {
            send("cancel", ["code": .string(end.code), "reason": .string(end.reason)])
        }
        desk.emit(.ended(id, end))
    }

    // MARK: The other side

    func received(_ type: String, _ content: JSONValue) {
        switch type {
        case "ready": ready(content)
        case "start": theyBegan(content)
        case "accept": accepted(content)
        case "key": key(content)
        case "mac": mac(content)
        case "done": done()
        case "cancel": cancelled(content)
        default: cancel(.unexpected)
        }
    }

    private func ready(_ content: JSONValue) {
        guard case .asking = state else { return cancel(.unexpected) }
        guard let from = content["from_device"]?.string, !from.isEmpty else { return cancel(.invalid) }
        guard content["methods"]?.array?.contains(.string(SASOffer.method)) == true else {
            return cancel(.unknownMethod)
        }
        settle(on: from)
        state = .ready
        begin()
    }

    /// The others that were asked need not ring any longer.
    private func settle(on from: String) {
        device = from
        let others = askedDevices.filter { $0 != from }
        askedDevices = []
        guard id.room == nil, !others.isEmpty else { return }
        let end = VerificationEnd.accepted
        desk.emit(
            .toDevice(
                type: VerificationMessage.prefix + "cancel",
                content: .object(named(["code": .string(end.code), "reason": .string(end.reason)])),
                to: others.map { DeviceName(user: id.user, device: $0) }))
    }

    private func begin() {
        let start = JSONValue.object(named(SASOffer.start(from: desk.own.device)))
        state = .begun(start: start)
        send("start", SASOffer.start(from: desk.own.device))
    }

    private func theyBegan(_ start: JSONValue) {
        guard let from = start["from_device"]?.string, !from.isEmpty else { return cancel(.invalid) }
        if let device, device != from { return cancel(.userMismatch) }
        switch state {
        case .asking:
            settle(on: from)
            answer(start)
        case .ready: answer(start)
        case .begun:
            // Both began at once: the one with the smaller name did.
            guard start["method"]?.string == SASOffer.method else { return cancel(.unexpected) }
            let (own, their) = (desk.own, DeviceName(user: id.user, device: from))
            let isOurs =
                own.user == their.user
                ? own.device.utf8.lexicographicallyPrecedes(their.device.utf8)
                : own.user.utf8.lexicographicallyPrecedes(their.user.utf8)
            if !isOurs { answer(start) }
        case .asked, .promised, .revealed, .comparing, .proving, .ending: cancel(.unexpected)
        case .over: break
        }
    }

    /// Promises a key for their start.
    private func answer(_ start: JSONValue) {
        guard var accept = SASOffer.accept(start) else { return cancel(.unknownMethod) }
        guard let sas = try? desk.driver.makeShortAuthentication(),
            let commitment = SASOffer.commitment(key: sas.publicKey, start: start, sha256: desk.sha256)
        else { return cancel(.invalid) }
        accept["commitment"] = .string(commitment)
        state = .promised(sas, accept: .object(accept))
        send("accept", accept)
    }

    private func accepted(_ content: JSONValue) {
        guard case .begun(let start) = state else { return cancel(.unexpected) }
        guard SASOffer.isAcceptable(content) else { return cancel(.unknownMethod) }
        guard content["commitment"]?.string != nil, let sas = try? desk.driver.makeShortAuthentication() else {
            return cancel(.invalid)
        }
        state = .revealed(sas, start: start, accept: content)
        send("key", ["key": .string(sas.publicKey)])
    }

    private func key(_ content: JSONValue) {
        guard let text = content["key"]?.string, let bytes = Base64.decode(text) else { return cancel(.invalid) }
        // The one spelling that both sides put into the string's recipe.
        let theirs = Base64.encode(bytes)
        switch state {
        case .promised(let sas, let accept):
            send("key", ["key": .string(sas.publicKey)])
            agree(sas, theirs, accept, isBegunByUs: false)
        case .revealed(let sas, let start, let accept):
            guard let promised = accept["commitment"]?.string,
                let commitment = SASOffer.commitment(key: text, start: start, sha256: desk.sha256),
                Base64.decode(promised).map({ Base64.encode($0) }) == commitment
            else { return cancel(.commitmentMismatch) }
            agree(sas, theirs, accept, isBegunByUs: true)
        case .asking, .asked, .ready, .begun, .comparing, .proving, .ending: cancel(.unexpected)
        case .over: break
        }
    }

    private func agree(_ sas: any ShortAuthentication, _ theirKey: String, _ accept: JSONValue, isBegunByUs: Bool) {
        // Our own key sent back would make a string that both sides know.
        guard let device, theirKey != sas.publicKey, (try? sas.setTheirKey(theirKey)) != nil else {
            return cancel(.invalid)
        }
        let ours = [desk.own.user, desk.own.device, sas.publicKey]
        let theirs = [id.user, device, theirKey]
        let info =
            (["MATRIX_KEY_VERIFICATION_SAS"] + (isBegunByUs ? ours + theirs : theirs + ours) + [id.transaction])
            .joined(separator: "|")
        guard let bytes = try? sas.bytes(6, info: info),
            let short = ShortString(bytes, hasEmoji: SASOffer.hasEmoji(accept))
        else { return cancel(.invalid) }
        let their = DeviceName(user: id.user, device: device)
        state = .comparing(
            SASCodes(own: desk.own, their: their, transaction: id.transaction, sas: sas), theirCodes: nil)
        desk.emit(.show(id, short))
    }

    private func mac(_ content: JSONValue) {
        switch state {
        case .comparing(let codes, nil): state = .comparing(codes, theirCodes: content)
        case .proving: prove(content)
        case .asking, .asked, .ready, .begun, .promised, .revealed, .comparing, .ending: cancel(.unexpected)
        case .over: break
        }
    }

    private func prove(_ content: JSONValue) {
        guard case .proving(let codes) = state else { return }
        let user = desk.user(id.user)
        let device = user?.devices.first { $0.id == codes.their.device }
        var known: [String: String] = [:]
        if let device { known["ed25519:" + device.id] = device.ed25519 }
        let masterID = (user?.identity?.masterKey).map { "ed25519:" + $0 }
        if let masterID, known[masterID] == nil { known[masterID] = user?.identity?.masterKey }
        guard let proven = (try? codes.proven(by: content, known: known)) ?? nil, !proven.isEmpty else {
            return cancel(.keyMismatch)
        }
        let keys = VerifiedKeys(
            device: codes.their.device, isDeviceVerified: proven.contains("ed25519:" + codes.their.device),
            masterKey: masterID.map(proven.contains) == true ? user?.identity?.masterKey : nil)
        send("done", [:])
        guard isRequested else {
            // Clients that know no requests know no end either.
            state = .over
            return desk.emit(.verified(id, keys))
        }
        state = .ending(keys)
    }

    private func done() {
        switch state {
        case .ending(let keys):
            state = .over
            desk.emit(.verified(id, keys))
        case .asking, .asked, .ready, .begun, .promised, .revealed, .comparing, .proving: cancel(.unexpected)
        case .over: break
        }
    }

    private func cancelled(_ content: JSONValue) {
        let reason = content["reason"]?.string ?? ""
        cancel(
            VerificationEnd(
                code: String((content["code"]?.string ?? "m.user").prefix(64)), reason: String(reason.prefix(200)),
                isByThem: true))
    }

    // MARK: Sending

    private func send(_ type: String, _ content: JSONObject) {
        let content = JSONValue.object(named(content))
        let type = VerificationMessage.prefix + type
        if let room = id.room { return desk.emit(.inRoom(room, type: type, content: content)) }
        let devices = device.map { [$0] } ?? askedDevices
        desk.emit(
            .toDevice(type: type, content: content, to: devices.map { DeviceName(user: id.user, device: $0) }))
    }

    /// With what says which verification it belongs to.
    private func named(_ content: JSONObject) -> JSONObject { id.naming(content) }
}

extension VerificationID {
    func naming(_ content: JSONObject) -> JSONObject {
        var content = content
        if room == nil {
            content["transaction_id"] = .string(transaction)
        } else {
            content["m.relates_to"] = ["rel_type": "m.reference", "event_id": .string(transaction)]
        }
        return content
    }
}
