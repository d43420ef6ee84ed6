import Base
import Net
import TestSupport

/// Notes what a connection says, and lets a test wait for it.
@Loop final class ConnectionRecorder: ByteConnectionHandler {
    private(set) var opened = 0
    private(set) var bytes: [UInt8] = []
    private(set) var pieces = 0
    private(set) var ends: [ConnectionEnd] = []
    var onOpened: (@Loop (ByteConnection) -> Void)?
    var onReceived: (@Loop (ByteConnection) -> Void)?
    private(set) var depth = 0
    private var waiters: [(isDone: @Loop (ConnectionRecorder) -> Bool, resume: CheckedContinuation<Void, Never>)] = []

    nonisolated init() {}

    func opened(_ connection: ByteConnection) {
        opened += 1
        onOpened?(connection)
        look()
    }

    func received(_ more: UnsafeRawBufferPointer, on connection: ByteConnection) {
        depth += 1
        defer { depth -= 1 }
        bytes += Array(more)
        pieces += 1
        onReceived?(connection)
        look()
    }

    func closed(_ end: ConnectionEnd, on connection: ByteConnection) {
        precondition(depth == 0, "told from inside a call")
        ends.append(end)
        look()
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Resumes once the condition holds; it is looked at after each event.
    func wait(_ isDone: @escaping @Loop (ConnectionRecorder) -> Bool) async {
        if isDone(self) { return }
        await withCheckedContinuation { waiters.append((isDone, $0)) }
    }

    private func look() {
        let all = waiters
        waiters = []
        for waiter in all {
            if waiter.isDone(self) { waiter.resume.resume() } else { waiters.append(waiter) }
        }
    }
}
