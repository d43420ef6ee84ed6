import Foundation
import JSON
import MatrixCrypto
import TestSupport
import Testing

/// Messages in both directions between our machine and vodozemac's devices, in any order, with loss, repetition, forgery, kills
/// and changes of devices, members and sessions: nothing is lost that should be read, nothing is read that should not.
@Suite(.enabled(if: VodozemacSide.isWanted)) struct PropertyTests {
    /// `GIFBOT_MESSAGES=10000` for the long run, `GIFBOT_SEED` for one that failed.
    @Test func nothingIsLostAndNothingIsReadThatShouldNotBe() throws {
        let environment = ProcessInfo.processInfo.environment
        let messages = environment["GIFBOT_MESSAGES"].flatMap(Int.init) ?? 400
        let seed = environment["GIFBOT_SEED"].flatMap(UInt64.init) ?? 5
        let world = try World(seed: seed)
        while world.tally.sent + world.tally.received < messages { try world.step() }
        try world.finish()
        let tally = world.tally
        #expect(tally.readByMachine > tally.received / 3 && tally.readByPeople > tally.sent)
        #expect(tally.excusedPeople < tally.readByPeople / 5 && tally.gone < tally.received / 20)
        print("seed \(seed): \(tally)")
    }
}
