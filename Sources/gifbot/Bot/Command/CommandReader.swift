/// Reads what stands after the command word: options, then a command of the table or words.
enum CommandReader {
    static func command(in bytes: Span<UInt8>, from end: Int) -> Command {
        let start = Spacing.skip(in: bytes, from: end)
        let options = Options(in: bytes, from: start)
        if let wrong = options.wrong { return .wrongOption(wrong) }
        if !options.areEnded,
            let found = named(in: bytes, from: options.end, options.argument, hasOptions: options.end != start)
        {
            return found
        }
        var argument = options.argument
        argument.words = QueryWords.text(in: bytes, from: options.end)
        return argument.words.isEmpty ? .usage : .search(argument)
    }

    /// Bytes; a String of so many needs no memory of its own.
    private static let longestName = 15

    private static func named(
        in bytes: Span<UInt8>, from start: Int, _ options: SearchArgument, hasOptions: Bool
    ) -> Command? {
        guard start < bytes.count else { return nil }
        if bytes[start] == UInt8(ascii: "#") || bytes[start] == UInt8(ascii: ":") {
            return hasOptions ? nil : signed(in: bytes, from: start)
        }
        let end = Spacing.endOfWord(in: bytes, from: start)
        guard end - start <= longestName, let entry = CommandTable.entry(named: word(in: bytes, start..<end)),
            !hasOptions || entry.form.takesOptions
        else { return nil }
        return argument(of: entry, in: bytes, from: Spacing.skip(in: bytes, from: end), options)
    }

    /// `#3` and `:name:`, alone.
    private static func signed(in bytes: Span<UInt8>, from start: Int) -> Command? {
        let text = QueryWords.text(in: bytes, from: start)
        if text.hasPrefix("#") {
            let digits = text.utf8.dropFirst()
            guard (1...3).contains(digits.count), let number = Int(text.dropFirst()), number > 0,
                digits.allSatisfy({ $0 >= UInt8(ascii: "0") })
            else { return nil }
            return .named(.number, .number(number))
        }
        guard text.hasSuffix(":"), let name = SavedName.name(text) else { return nil }
        return .named(.namedGif, .text(name))
    }

    /// The command with what stands behind its word; nil when that isn't its form.
    private static func argument(
        of entry: CommandEntry, in bytes: Span<UInt8>, from start: Int, _ options: SearchArgument
    ) -> Command? {
        switch entry.form {
        case .alone: return QueryWords.text(in: bytes, from: start).isEmpty ? .named(entry, .none) : nil
        case .words, .optionalWords:
            let more = Options(in: bytes, from: start, onto: options)
            if let wrong = more.wrong { return .wrongOption(wrong) }
            var argument = more.argument
            argument.words = QueryWords.text(in: bytes, from: more.end)
            if argument.words.isEmpty, case .words = entry.form { return more.end == start ? nil : .usage }
            return .named(entry, .search(argument))
        case .name:
            guard let name = SavedName.name(QueryWords.text(in: bytes, from: start)) else { return nil }
            return .named(entry, .text(name))
        case .commandWord:
            let word = QueryWords.text(in: bytes, from: start)
            guard word.isEmpty || CommandTable.entry(named: word) != nil else { return nil }
            return .named(entry, .text(word))
        case .rest:
            return .named(entry, .text(QueryWords.typed(in: bytes, from: start)))
        case .number, .namedGif: return nil
        }
    }

    private static func word(in bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        for index in range where bytes[index] >= 0x80 { return QueryWords.text(in: bytes.extracting(range), from: 0) }
        return String(unsafeUninitializedCapacity: longestName) { buffer in
            for (offset, index) in range.enumerated() { buffer[offset] = bytes[index].asciiLowercased }
            return range.count
        }
    }
}

/// The options from a place on, and where they end.
private struct Options {
    var argument: SearchArgument
    var end: Int
    /// A `--` was met: nothing behind it is a command.
    var areEnded = false
    /// One that is known, with a value that isn't.
    var wrong: CommandOption?

    init(in bytes: Span<UInt8>, from start: Int, onto argument: SearchArgument = SearchArgument(words: "")) {
        self.argument = argument
        end = start
        while let token = OptionToken(in: bytes, at: end) {
            end = Spacing.skip(in: bytes, from: token.end)
            guard let option = token.option else {
                areEnded = true
                return
            }
            let endOfValue = end < bytes.count ? Spacing.endOfWord(in: bytes, from: end) : end
            guard endOfValue > end, option.apply(bytes.text(end..<endOfValue), to: &self.argument) else {
                wrong = option
                return
            }
            end = Spacing.skip(in: bytes, from: endOfValue)
        }
    }
}

/// An option or the `--` that ends them. Phones turn two hyphens into a dash, so that counts as two.
private struct OptionToken {
    /// Nil for the end of the options.
    let option: CommandOption?
    let end: Int

    init?(in bytes: Span<UInt8>, at index: Int) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes.holds([0xE2, 0x80, 0x94], at: index)
        else { return nil }
        end = Spacing.endOfWord(in: bytes, from: index)
        var name = bytes.text(index..<end).lowercased()
        if name.hasPrefix("\u{2014}") { name = "--" + name.dropFirst() }
        option = CommandOption(rawValue: name)
        if option == nil, name != "--" { return nil }
    }
}
