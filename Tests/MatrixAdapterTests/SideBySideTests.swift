import Base
import Chat
import HTTP
import JSON
import TestSupport
import Testing

@testable import MatrixAdapter

private let members: FakeHomeserver.Answer = .ok(["joined": ["@a:b": [:], "@c:d": [:], "@e:f": [:]]])

extension Bench {
    /// As after a restart: somebody speaks in each of so many rooms, and nobody knows how many are there.
    fileprivate func speakInRooms(_ count: Int) async {
        let rooms = (0..<count).map { number in
            JSONObject.Member(
                "!room\(number)",
                [
                    "state": ["events": [created]],
                    "timeline": ["events": [text("!gif owl", id: "$\(number)")]],
                ])
        }
        await sync(rooms: ["join": .object(JSONObject(rooms))])
    }
}

@Suite("Questions about many rooms are asked side by side") @Loop struct SideBySideTests {
    @Test("How many are in the rooms of a batch: several questions at once, never more, and none twice")
    func sizes() async {
        let bench = Bench(position: "s0")
        bench.server.next("/joined_members", times: 99, .hang)
        bench.adapter.start()
        await bench.settle()
        await bench.speakInRooms(20)
        for asked in [8, 16, 20] {
            #expect(bench.server.requests("/joined_members").count == asked && bench.bot.texts.isEmpty)
            bench.server.release(members)
            await bench.settle()
        }
        #expect(bench.bot.texts.count == 20 && bench.bot.messages.allSatisfy { !$0.conversation.isDirect })
        #expect(Set(bench.server.requests("/joined_members").map(\.url)).count == 20)
    }

    @Test("What a server doesn't say in time stays unknown, and holds nothing up; the next words ask again")
    func late() async {
        let bench = Bench(position: "s0")
        bench.server.next("/joined_members", times: 8, .hang)
        bench.adapter.start()
        await bench.settle()
        await bench.speakInRooms(20)
        await bench.advance(by: .seconds(10))
        #expect(bench.bot.texts.count == 20 && bench.server.requests("/joined_members").count == 8)
        await bench.sync([text("!gif owl", id: "$again")], state: [], room: "!room3", people: nil)
        #expect(bench.server.requests("/joined_members").count == 9)
    }

    @Test("Aliases too: one of a server that is away keeps no account from its sync")
    func aliases() async {
        let bench = Bench(tokenSettings { $0.rooms = ["#away:gone.test", "#cats:example.test"] })
        bench.server.next("/directory/room/%23away", .hang)
        bench.adapter.start()
        await bench.settle()
        #expect(bench.server.requests("/sync").isEmpty && bench.server.requests("/directory/room/").count == 2)
        await bench.advance(by: .seconds(10))
        #expect(bench.server.requests("/sync").count == 1)
        await bench.sync([text("!gif owl", id: "$1")])
        await bench.advance(by: .minutes(3))
        await bench.sync([text("!gif hen", id: "$2")])
        #expect(bench.bot.messages.map(\.conversation.name) == ["#cats:example.test"])
    }

    @Test("Every item once, in order, and an end when the task is cancelled")
    func list() async {
        let clock = ManualClock()
        let done = Done()
        await sideBySide(Array(0..<5), width: 2, by: clock.now + .seconds(1), clock: clock) { done.items.append($0) }
        #expect(done.items.sorted() == [0, 1, 2, 3, 4])
        await sideBySide([Int](), width: 2, by: clock.now + .seconds(1), clock: clock) { done.items.append($0) }
        let task = Loop.start {
            await sideBySide([7, 8], width: 1, by: clock.now + .seconds(1), clock: clock) { _ in
                await clock.sleep(for: .hours(1))
            }
        }
        for _ in 0..<20 { await Task.yield() }
        task.cancel()
        await task.value
    }
}

@Loop private final class Done {
    var items: [Int] = []
}
