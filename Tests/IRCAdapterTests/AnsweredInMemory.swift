import Base
import Chat

@Loop final class AnsweredInMemory: AnsweredStore {
    private(set) var ids: [String] = []

    nonisolated init() {}

    func wasAnswered(_ id: String, in network: String) -> Bool { ids.contains(id) }
    func record(answered id: String, in network: String, at time: WallTime) { ids.append(id) }
}
