public import Base

/// Which commands were answered, over restarts. An adapter asks before it hands a message on, and notes when the answer is safe:
/// the protocol's business, since only it knows when that is.
@Loop public protocol AnsweredStore: AnyObject {
    func wasAnswered(_ id: String, in network: String) -> Bool
    func record(answered id: String, in network: String, at time: WallTime)
}
