import GiphySearch

/// Sentences about choosing, taking back and keeping.
extension Sentences {
    static let firstResult = "That was the first result already."
    static let lastResult = "That was the last result; there are no more."
    static let noStickers = "Stickers are switched off in this channel."

    /// In front of an answer that only the asker sees.
    static let preview = "Preview: "
    static let noPrivateTalk = "There is no way to show this to you alone here; write to the bot in private first."
    static let previewCancelled = "Preview cancelled, nothing was posted."

    static let nothingToUndo = "There is no answer of yours from the last 10 minutes to take back here."
    static let cantTakeBack = "What was sent can't be taken back here."
    static let nothingToBan = "There is no GIF here to ban."
    static let banned = "Banned: this GIF is never shown here again."
    static let bannedNotTakenBack = "Banned: this GIF is never shown here again, but what was sent can't be taken back."
    static let onlyInChannels = "Bans are for channels and rooms."
    static let onlyOperators = "Only operators may do that here."

    static let noCollection = "The collection is switched off here."
    static let nothingToSave = "There is no GIF here to save; search for one first."
    static let nameTaken = "This name is taken; forget it first."
    static let noSuchName = "Nothing is saved here under this name."
    static let mayNotBeSaved = "The source of this GIF doesn't allow it to be saved."
    static let savedSourceGone = "The source of this GIF can't be asked for it any more."
    static let collectionFull = "The collection here is full; forget something first."

    static func noSearchHeld(_ call: String) -> String {
        "There is no search of yours to page through here; start with \(call) <words>"
    }

    static func noPreview(_ call: String) -> String {
        "There is no preview of yours here; start with \(call) preview <words>"
    }

    static func saved(_ name: String) -> String {
        "Saved as :\(name):"
    }

    static func forgotten(_ name: String) -> String {
        "Forgotten: :\(name):"
    }

    static func saved(_ names: [String]) -> String {
        guard !names.isEmpty else { return "Nothing is saved here yet." }
        return "Saved here: " + names.map { ":\($0):" }.joined(separator: " ")
    }

    /// Behind what was done, but is on no disk.
    static let notKept = " (Until the bot ends: the state can't be written, the log says why.)"

    static func done(_ answer: String, isKept: Bool) -> String { isKept ? answer : answer + notKept }

    static let listSeparator = " \u{B7} "

    /// One result in a list: its place, its title, its size. `room`: bytes.
    static func listed(_ picked: PickedGif, number: Int, room: Int) -> String {
        var size = ""
        if let width = picked.rendition.width, let height = picked.rendition.height {
            size += " \(width)\u{D7}\(height)"
        }
        if let bytes = picked.rendition.byteCount { size += ", \(FileSize.text(bytes))" }
        let start = "Result \(number):"
        let title = CleanText.title(picked.gif.title)
        let left = room - start.utf8.count - size.utf8.count - listSeparator.utf8.count - 1
        return start + (title.isEmpty || left < 4 ? "" : " " + CutText.fit(title, budget: left)) + size
    }
}
