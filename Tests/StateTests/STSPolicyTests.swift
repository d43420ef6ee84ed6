import Base
import IRCAdapter
import State
import TestSupport
import Testing

@Suite("State: hosts that want TLS") struct STSPolicyTests {
    private func policy(_ clock: ManualClock, days: Int, port: Int = 6697) -> STSPolicy {
        STSPolicy(port: port, duration: .days(days), expires: clock.wall.advanced(by: .days(days)))
    }

    @Test("X5: kept over a restart, changed and forgotten") @Loop func kept() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let long = policy(scratch.clock, days: 30, port: 7000)
        store.save(stsPolicy: policy(scratch.clock, days: 1), of: "a.test")
        store.save(stsPolicy: long, of: "a.test")
        store.save(stsPolicy: long, of: "b.test")
        store.save(stsPolicy: nil, of: "b.test")
        await store.close()
        let again = try scratch.open()
        #expect(again.stsPolicy(of: "a.test") == long)
        #expect(again.stsPolicy(of: "b.test") == nil)
        #expect(again.stsPolicy(of: "A.test") == nil)
        await again.close()
    }

    @Test("X5: a port that a plain connection was sent to is remembered, but never written; the oldest goes") @Loop
    func demanded() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        for number in 1...1_001 { store.save(demandedPort: number, of: "\(number).test") }
        #expect(store.demandedPort(of: "1.test") == nil)
        #expect(store.demandedPort(of: "2.test") == 2)
        store.save(demandedPort: 7000, of: "2.test")
        #expect(store.demandedPort(of: "2.test") == 7000)
        store.save(demandedPort: nil, of: "3.test")
        #expect(store.demandedPort(of: "3.test") == nil)
        await store.close()
        let again = try scratch.open()
        #expect(again.demandedPort(of: "2.test") == nil)
        await again.close()
    }

    @Test("a second later a killed process has lost nothing, and what is repeated isn't written") @Loop
    func written() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let long = policy(scratch.clock, days: 30)
        store.save(stsPolicy: long, of: "a.test")
        await store.flush()
        store.save(stsPolicy: long, of: "a.test")
        #expect(scratch.clock.nextDue == scratch.clock.now.advanced(by: .days(1)))
        let killed = try scratch.killed().open()
        #expect(killed.stsPolicy(of: "a.test") == long)
        await store.close()
    }

    @Test("what has run out goes, daily and at the next start; the table is bounded") @Loop func bounded() async throws
    {
        let scratch = Scratch()
        let store = try scratch.open()
        store.save(stsPolicy: policy(scratch.clock, days: 1), of: "short.test")
        store.save(stsPolicy: policy(scratch.clock, days: 40), of: "long.test")
        scratch.clock.advance(by: .days(2))
        #expect(store.stsPolicy(of: "short.test") == nil)
        #expect(store.stsPolicy(of: "long.test") != nil)
        await store.close()
        scratch.clock.advance(by: .days(50))
        let again = try scratch.open()
        #expect(again.stsPolicy(of: "long.test") == nil)
        await again.close()

        let memory = StateStore.inMemory(clock: scratch.clock, log: Log("test", to: scratch.log))
        for number in 1...1_100 { memory.save(stsPolicy: policy(scratch.clock, days: number), of: "\(number).test") }
        #expect(memory.stsPolicy(of: "100.test") == nil)
        #expect(memory.stsPolicy(of: "101.test") != nil)
        await memory.close()
    }
}
