import Foundation
import JSON
import MatrixCrypto
import Testing

/// Prints; run by hand in a release build.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["GIFBOT_SPEED"] != nil)) struct SpeedTests {
    /// Of this thread, so that what else runs on the machine counts for nothing.
    private func processorTime<Value>(_ work: () throws -> Value) rethrows -> (value: Value, time: Duration) {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        let value = try work()
        return (value, now() - start)
    }

    @Test func messages() throws {
        let server = StandInServer()
        let bot = try Phone("@bot:example.test", "BOT", on: server).start()
        let ada = try Phone("@ada:example.test", "ADA", on: server).start()
        let people = [bot.user, ada.user]
        _ = try ada.write("first", to: people)
        try bot.sync()
        let body = String(repeating: "x", count: 400)
        var contents: [JSONValue] = []
        let count = 90
        let audience = ada.audience(people)
        let (_, encrypting) = try processorTime {
            for _ in 0..<count {
                _ = try ada.machine.prepare(audience, now: ada.now)
                contents.append(
                    try ada.machine.encrypt(
                        type: "m.room.message", content: ["msgtype": "m.text", "body": .string(body)], in: room,
                        now: ada.now))
            }
        }
        _ = try bot.text(contents[0], from: ada.user, event: "$0")
        let (_, decrypting) = try processorTime {
            for (index, content) in contents.enumerated().dropFirst() {
                _ = try bot.read(content, from: ada.user, event: "$\(index)")
            }
        }
        print("encrypt \(encrypting / count), decrypt \(decrypting / (count - 1))")
    }

    @Test func aCrowd() throws {
        let server = StandInServer()
        let bot = try Phone("@bot:example.test", "BOT", on: server).start()
        let crowd = (0..<500).map { "@p\($0):example.test" }
        for user in crowd {
            for device in 0..<10 { try Forger(user, "D\(device)", on: server).publish(1) }
        }
        var longest = Duration.zero
        let audience = bot.audience(crowd + [bot.user])
        var inMachine = Duration.zero
        func timed<Value>(_ work: () throws -> Value) rethrows -> Value {
            let (value, time) = try processorTime(work)
            longest = max(longest, time)
            inMachine += time
            return value
        }
        while try timed({ try bot.machine.prepare(audience, now: bot.now) }) == .waiting {
            while true {
                let requests = try timed { try bot.machine.requests(now: bot.now) }
                guard !requests.isEmpty else { break }
                for request in requests {
                    bot.calls.append(request.call)
                    let body = try server.answer(request.call, from: bot.user, bot.id)
                    _ = try timed { try bot.machine.answered(request.id, body, now: bot.now) }
                }
            }
        }
        let (_, again) = try processorTime { try bot.machine.prepare(audience, now: bot.now) }
        print(
            "5,000 devices: \(bot.calls.count) calls, \(inMachine) in all, longest step \(longest), again \(again)")
    }
}
