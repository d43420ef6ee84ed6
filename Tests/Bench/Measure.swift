import Base
import Glibc

/// Prints one line of JSON per case: nanoseconds an operation, the median, least and greatest of several rounds.
struct Measure {
    private static let rounds = 9
    private static let target = Duration.milliseconds(150)

    /// Only cases whose name holds this; all when empty.
    let filter: String

    /// `body` does the work `count` times.
    func callAsFunction(_ name: String, _ body: (_ count: Int) -> Void) {
        guard includes(name) else { return }
        var count = 1
        while time(count, body) < Self.target, count < 1 << 28 { count *= 2 }
        let nanoseconds = (0..<Self.rounds).map { _ in
            Double(time(count, body).nanoseconds) / Double(count)
        }.sorted()
        let figures = [nanoseconds[Self.rounds / 2], nanoseconds[0], nanoseconds[Self.rounds - 1]].map(rounded)
        print(
            #"{"case":"\#(name)","ns":\#(figures[0]),"least":\#(figures[1]),"greatest":\#(figures[2]),"count":\#(count)}"#
        )
        fflush(nil)
    }

    func includes(_ name: String) -> Bool { filter.isEmpty || name.contains(filter) }

    private func time(_ count: Int, _ body: (Int) -> Void) -> Duration {
        let start = ContinuousClock.now
        body(count)
        return start.duration(to: .now)
    }

    private func rounded(_ nanoseconds: Double) -> Double {
        (nanoseconds * 10).rounded() / 10
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

/// Keeps a result from being optimised away.
@inline(never) func use<T>(_ value: T) {}
