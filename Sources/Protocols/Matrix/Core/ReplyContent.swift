import JSON

/// The content of an answer: `m.notice` (bots that know manners don't react to it, and it makes no phone ring), or the file
/// with the same text as its caption.
public struct ReplyContent: Equatable, Sendable {
    public var text: String
    /// The URL inside the text that becomes a link.
    public var url: String?
    /// The event replied to; nil where it lies in another room.
    public var answers: String?
    /// The root of the thread in which the command was given.
    public var thread: String?
    public var media: MediaContent?

    public init(text: String, url: String?, answers: String?, thread: String?, media: MediaContent? = nil) {
        self.text = text
        self.url = url
        self.answers = answers
        self.thread = thread
        self.media = media
    }

    public func json() -> [UInt8] {
        var content = message
        media?.add(to: &content)
        if let relation { content["m.relates_to"] = relation }
        return encoded(.object(content))
    }

    /// The same in the place of an earlier event ("Event replacements"). What is outside of `m.new_content` is for clients
    /// that know no edits: text alone, marked with a star.
    public func json(replacing event: String) -> [UInt8] {
        var new = message
        media?.add(to: &new)
        var content = message
        content["body"] = .string("* " + oneLine(text))
        if let html = content["formatted_body"]?.string { content["formatted_body"] = .string("* " + html) }
        content["m.new_content"] = .object(new)
        content["m.relates_to"] = ["rel_type": "m.replace", "event_id": .string(event)]
        return encoded(.object(content))
    }

    private var message: JSONObject {
        let body = oneLine(text)
        var content: JSONObject = [
            "msgtype": "m.notice",
            "body": .string(body),
            // Without it old servers look for names in the body and ring ("User and room mentions").
            "m.mentions": [:],
        ]
        if let html = linked(body) {
            content["format"] = "org.matrix.custom.html"
            content["formatted_body"] = .string(html)
        }
        return content
    }

    /// In a thread the reply is a real one, and still the thread's fall-back for clients that know none ("Threading").
    private var relation: JSONValue? {
        guard let answers else { return nil }
        var relation: JSONObject = ["m.in_reply_to": ["event_id": .string(answers)]]
        if let thread {
            relation["rel_type"] = "m.thread"
            relation["event_id"] = .string(thread)
            relation["is_falling_back"] = true
        }
        return .object(relation)
    }

    /// Nil where there is nothing that a client would open.
    private func linked(_ body: String) -> String? {
        guard let url, ["https://", "http://"].contains(where: url.hasPrefix), let place = body.lastRange(of: url)
        else { return nil }
        let link = HTMLText.escaped(url)
        return HTMLText.escaped(String(body[..<place.lowerBound])) + "<a href=\"\(link)\">\(link)</a>"
            + HTMLText.escaped(String(body[place.upperBound...]))
    }
}

/// A mark on an event ("Event annotations and reactions").
public func reactionContent(_ mark: String, on event: String) -> [UInt8] {
    encoded(["m.relates_to": ["rel_type": "m.annotation", "event_id": .string(event), "key": .string(mark)]])
}

/// Titles come from strangers: no control character goes out, and a line end is a space.
private func oneLine(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: out.append(" ")
        case 0..<0x20, 0x7F...0x9F: continue
        default: out.append(scalar)
        }
    }
    return String(out)
}

extension String {
    /// By bytes, so that a combining mark after the text changes nothing.
    fileprivate func lastRange(of text: String) -> Range<Index>? {
        let (whole, part) = (utf8, text.utf8)
        guard !part.isEmpty, whole.count >= part.count else { return nil }
        var start = whole.index(whole.endIndex, offsetBy: -part.count)
        while true {
            if whole[start...].starts(with: part) {
                return start..<whole.index(start, offsetBy: part.count)
            }
            guard start > whole.startIndex else { return nil }
            start = whole.index(before: start)
        }
    }
}
