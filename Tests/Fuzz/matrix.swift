import HTTP
import Matrix

/// What a homeserver answers to a sync: read, acted on, and read again. Edits, marks and redactions come out of it once.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let response = HTTPResponse(status: 200, body: Input(data, size).bytes)
    guard case .success(let batch) = SyncBatch.decode(response) else { return 0 }
    var session = SyncSession(userID: "@gifbot:example.test", position: "s0", encrypts: true)
    for effect in session.received(batch) {
        switch effect {
        case .edited(let message):
            must(message.sender != session.userID && !message.isReply && message.thread == nil, "an edit of another")
        case .reacted(let reaction): must(reaction.sender != session.userID, "a mark of another")
        case .message(let message):
            must(message.sender != session.userID, "a message of another")
            _ = Mention(in: message, userID: session.userID, names: ["GIF Bot"])
        default: break
        }
    }
    must(session.position == batch.next, "the position moves with the batch")
    for effect in session.received(batch) {
        switch effect {
        case .edited, .reacted, .message: must(false, "nothing is told twice")
        default: break
        }
    }
    _ = Replies.sent(response)
    _ = Replies.uploadLimit(response)
    return 0
}
