import JSON
import TestSupport
import Testing

@testable import MatrixCrypto

@Suite struct DeviceBoundTests {
    @Test("devices in all are bounded: the first of everybody have a place, whoever has how many")
    func devicesInAll() throws {
        let bench = try TrackerBench(furtherPlaces: 10)
        func person(_ id: String, _ count: Int) throws -> ToldPerson {
            let person = try ToldPerson(id)
            for number in 0..<count { try person.add("D\(number)") }
            return person
        }
        func count(_ id: String, on bench: TrackerBench) -> Int? { bench.tracker.user(id)?.devices.count }
        let (mallory, ada, bo) = (try person("@mallory:evil", 30), try person("@ada:x", 6), try person("@bo:x", 2))
        for one in [mallory, ada, bo] { try bench.learn([one]) }
        #expect(count(mallory.id, on: bench) == CryptoLimits.sureDevices + 10)
        #expect(count(ada.id, on: bench) == CryptoLimits.sureDevices && count(bo.id, on: bench) == 2)
        // Those that have a place keep it.
        let kept = Set(bench.tracker.user(ada.id)?.devices.map(\.id) ?? [])
        try bench.changed([ada.id])
        try bench.learn([ada])
        #expect(Set(bench.tracker.user(ada.id)?.devices.map(\.id) ?? []) == kept)
        // After a start it is as before; who leaves makes room.
        let again = try TrackerBench(bench.store, furtherPlaces: 10)
        try again.changed([ada.id])
        try again.learn([ada])
        #expect(count(ada.id, on: again) == CryptoLimits.sureDevices)
        try again.changed([ada.id], left: [mallory.id])
        try again.learn([ada])
        #expect(count(ada.id, on: again) == 6)
        let whole = CryptoLimits.sureDevices * DeviceTracker.mostUsers
        #expect(whole < CryptoLimits.devices)
    }

    @Test("devices are bounded, and the known ones come first") func bounded() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x", crossSigning: false)
        try alice.add("KNOWN", signed: false)
        try bench.learn([alice])
        for index in 0..<(CryptoLimits.devicesOfUser + 3) { try alice.add("A\(index)", signed: false) }
        try bench.changed(["@alice:x"])
        try bench.answer(try bench.requests()[0], ToldPerson.answer([alice]))
        let devices = try #require(bench.tracker.user("@alice:x")?.devices)
        #expect(devices.count == CryptoLimits.devicesOfUser && devices.contains { $0.id == "KNOWN" })
    }

    @Test("of devices that fail the check only so many are looked at") func manyBad() throws {
        let bench = try TrackerBench()
        let alice = try ToldPerson("@alice:x", crossSigning: false)
        try alice.add("KNOWN", signed: false)
        try bench.learn([alice])
        try alice.add("LAST", signed: false)
        let known = JSONValue.object(alice.devices["KNOWN"]!)
        var told: [JSONObject.Member] = [.init("KNOWN", known)]
        told += (0..<(2 * CryptoLimits.devicesOfUser)).map { .init("BAD\($0)", known) }
        told.append(.init("LAST", .object(alice.devices["LAST"]!)))
        try bench.changed(["@alice:x"])
        let answer: JSONValue = ["device_keys": .object(JSONObject([.init("@alice:x", .object(JSONObject(told)))]))]
        try bench.answer(try bench.requests()[0], answer)
        #expect(bench.tracker.user("@alice:x")?.devices.map(\.id) == ["KNOWN"])
    }
}
