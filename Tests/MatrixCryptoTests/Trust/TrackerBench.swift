import JSON
import Libolm
import OpenSSL
import TestSupport
import Testing

@testable import MatrixCrypto

/// A tracker, its store, and what it asks for.
final class TrackerBench {
    let store: MemoryKeyStore
    let context: CryptoContext
    let tracker: DeviceTracker
    var now: Int64 = 1_800_000_000_000

    init(_ store: MemoryKeyStore = MemoryKeyStore(), furtherPlaces: Int = 20_000) throws {
        self.store = store
        context = CryptoContext(
            userID: "@bot:x", deviceID: "BOT", driver: LibolmDriver(random: randomBytes), store: store,
            pickleKey: [], random: randomBytes)
        tracker = try DeviceTracker(context, furtherPlaces: furtherPlaces)
    }

    func requests() throws -> [CryptoRequest] {
        try tracker.makeCalls(now: now)
        try context.save()
        return context.calls.due(now: now)
    }

    @discardableResult
    func answer(_ request: CryptoRequest, _ body: JSONValue) throws -> [CryptoEvent] {
        let finished = context.calls.finish(request.id)
        let call = try #require(finished).call
        let events = try tracker.answered(call, id: request.id, body, now: now)
        try context.save()
        return events
    }

    func refuse(_ request: CryptoRequest) throws {
        let finished = context.calls.finish(request.id)
        let call = try #require(finished).call
        try tracker.failed(call, id: request.id, .refused(errcode: "M_BAD_JSON", text: ""), now: now)
    }

    func changed(_ users: [String], left: [String] = [], position: String = "") throws {
        try tracker.received(changed: users, left: left, nextBatch: position)
        try context.save()
    }

    /// Follows them and answers with what they have.
    func learn(_ people: [ToldPerson]) throws {
        tracker.follow(people.map(\.id))
        for request in try requests() { try answer(request, ToldPerson.answer(people)) }
    }

    func restarted() throws -> TrackerBench { try TrackerBench(store) }
}
