/// What we said and may have to take back. The oldest is forgotten first.
struct SentAnswers: Sendable {
    static let limit = 256

    struct Answer: Sendable {
        let number: UInt32
        /// By which the caller names it; several may share one.
        let id: String
        let target: String
        /// Until the server's echo has shown the message's id.
        var text: String
        /// The server's id of the message; nil until the echo.
        var messageID: String?
        /// To be redacted as soon as its id is known.
        var isTakenBack = false
    }

    /// A ring: the place is the number's remainder.
    private var ring: [Answer?] = []
    private var next: UInt32 = 0

    mutating func add(_ id: String, to target: String, _ text: String) -> UInt32 {
        if ring.isEmpty { ring = Array(repeating: nil, count: Self.limit) }
        defer { next &+= 1 }
        ring[Int(next) % Self.limit] = Answer(number: next, id: id, target: target, text: text)
        return next
    }

    /// Newest first.
    func all(_ id: String) -> [Answer] {
        ring.compactMap { $0?.id == id ? $0 : nil }.sorted { $0.number > $1.number }
    }

    mutating func forget(_ number: UInt32) {
        guard let place = place(number) else { return }
        ring[place] = nil
    }

    mutating func takeBack(_ number: UInt32) {
        guard let place = place(number) else { return }
        ring[place]?.isTakenBack = true
    }

    /// Our message came back with its id. The label tells which it is; without one it is the oldest with that text, of
    /// which a server may have cut off the end. Returned is an answer that was taken back meanwhile.
    mutating func echoed(label: String?, target: String, text: String, id: String, by mapping: Casemapping) -> Answer? {
        let place =
            label.flatMap { UInt32($0, radix: 36) }.flatMap { self.place($0) }
            ?? placeOfOldest { answer in
                mapping.equal(answer.target, target) && !text.isEmpty && answer.text.utf8.starts(with: text.utf8)
            }
        guard let place, var answer = ring[place], answer.messageID == nil else { return nil }
        answer.messageID = id
        answer.text = ""
        ring[place] = answer
        return answer.isTakenBack ? answer : nil
    }

    static func label(_ number: UInt32) -> String { String(number, radix: 36) }

    private func place(_ number: UInt32) -> Int? {
        guard !ring.isEmpty else { return nil }
        let place = Int(number) % Self.limit
        return ring[place]?.number == number ? place : nil
    }

    private func placeOfOldest(_ isMeant: (Answer) -> Bool) -> Int? {
        guard !ring.isEmpty else { return nil }
        // The place that is written next holds the oldest.
        return (0..<Self.limit).lazy.map { (Int(next) + $0) % Self.limit }.first { place in
            ring[place].map { $0.messageID == nil && isMeant($0) } ?? false
        }
    }
}
