extension IRCSession {
    static let batchHandlers: [String: Handler] = [
        "BATCH": { $0.batch($1, $2, &$3) },
        "REDACT": { $0.redacted($1, $2, &$3) },
    ]

    /// `BATCH +id type …` or `BATCH -id`
    private mutating func batch(_ message: IRCMessage, _ moment: Moment, _ effects: inout [Effect]) {
        let reference = message.parameter(0)
        let id = String(reference.dropFirst())
        if reference.hasPrefix("+") {
            replay.open(id, type: message.parameter(1), outer: message.tag("batch"))
            if message.parameter(1) == "draft/multiline" { multilines.begin(id, message) }
        } else {
            replay.close(id)
            if let whole = multilines.end(id) { privmsg(whole, moment, &effects) }
        }
        relevance.takesAllTexts = !multilines.isEmpty
    }
}
