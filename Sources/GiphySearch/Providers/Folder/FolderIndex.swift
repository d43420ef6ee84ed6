public import Images

/// One animated file of the folder.
public struct FolderFile: Equatable, Sendable {
    /// Below the folder, with a slash behind the name of each folder in between.
    public let name: String
    /// Nil for one that comes from the name.
    public let title: String?
    public let width: Int
    public let height: Int
    public let byteCount: Int
    public let format: ImageHeader.Format
    /// Seconds since 1970.
    public let changed: Int

    public init(
        name: String, title: String? = nil, width: Int, height: Int, byteCount: Int, format: ImageHeader.Format = .gif,
        changed: Int = 0
    ) {
        self.name = name
        self.title = title
        self.width = width
        self.height = height
        self.byteCount = byteCount
        self.format = format
        self.changed = changed
    }

    /// Whether a name that somebody else wrote stays below the folder, among what is not hidden. Looked at byte by byte, as the
    /// system does: a slash with an accent is one character, and still a slash.
    public static func isBelowFolder(_ name: String) -> Bool {
        name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            part.first.map { $0 != UInt8(ascii: ".") } ?? false
        }
    }
}

/// Finds files by the words of their names.
struct FolderIndex: Sendable {
    /// Sorted by name.
    let files: [FolderFile]
    /// Which files have a word, by their place in `files`.
    private let postings: [String: [Int32]]
    /// For words of which only the beginning was typed.
    private let words: [String]
    /// Places in `files`.
    private let newestFirst: [Int32]

    init(_ files: [FolderFile] = []) {
        let sorted = files.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var postings: [String: [Int32]] = [:]
        for (place, file) in sorted.enumerated() {
            for word in Set(Self.words(of: file.name)) { postings[word, default: []].append(Int32(place)) }
        }
        self.files = sorted
        newestFirst = sorted.indices.map { Int32($0) }.sorted { one, other in
            (sorted[Int(other)].changed, one) < (sorted[Int(one)].changed, other)
        }
        self.postings = postings
        words = postings.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The files for a request from `offset` on, and whether there are more behind them.
    func files(for request: PageRequest, from offset: Int, atMost limit: Int) -> (files: [FolderFile], isMore: Bool) {
        switch request.query.mode {
        case .search:
            let found = matches(request.query.words, atMost: offset + limit + 1).dropFirst(offset)
            return (Array(found.prefix(limit)), found.count > limit)
        case .random:
            let words = request.query.words
            let pool = words.isEmpty ? files : matches(words, atMost: files.count)
            return (chosen(from: pool, atMost: limit, by: request.chance), false)
        case .trending:
            let newest = newestFirst.dropFirst(offset)
            return (newest.prefix(limit).map { files[Int($0)] }, newest.count > limit)
        case .translate: return ([], false)
        case .id:
            return (files.filter { $0.name == request.query.words }, false)
        }
    }

    /// None of them twice.
    private func chosen(from pool: [FolderFile], atMost limit: Int, by chance: UInt64) -> [FolderFile] {
        var generator = SeededGenerator(seed: chance)
        var seen: Set<Int> = []
        return (0..<min(limit, pool.count)).map { _ in
            var place = Int.random(in: pool.indices, using: &generator)
            while !seen.insert(place).inserted { place = (place + 1) % pool.count }
            return pool[place]
        }
    }

    /// The best matches first: more words of the query count more, a whole word more than a beginning or a plural; equal ones in
    /// the order of their names.
    func matches(_ query: String, atMost limit: Int) -> [FolderFile] {
        var scores: [Int32: Int] = [:]
        for word in Set(query.split(separator: " ").map(String.init)) {
            var best: [Int32: Int] = [:]
            for (candidate, score) in candidates(for: word) {
                for place in postings[candidate] ?? [] { best[place] = max(best[place] ?? 0, score) }
            }
            for (place, score) in best { scores[place, default: 0] += score }
        }
        return scores.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(limit).map { files[Int($0.key)] }
    }

    /// Words of the index that a typed word may stand for, with what a match is worth.
    private func candidates(for word: String) -> [(word: String, score: Int)] {
        var out: [(word: String, score: Int)] = [(word, 5)]
        guard word.count >= 3 else { return out }
        for ending in ["s", "es", "ing"] where word.hasSuffix(ending) && word.count - ending.count >= 3 {
            out.append((String(word.dropLast(ending.count)), 4))
        }
        var index = firstWord(notBefore: word)
        // Bounded, since a common beginning may have thousands.
        while index < words.count, words[index].hasPrefix(word), out.count < 50 {
            if words[index] != word { out.append((words[index], 3)) }
            index += 1
        }
        return out
    }

    private func firstWord(notBefore word: String) -> Int {
        var range = 0..<words.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if words[middle].utf8.lexicographicallyPrecedes(word.utf8) {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// `Party-Parrot_01.gif` → party, parrot, 01.
    static func words(of name: String) -> [String] {
        stem(of: name).lowercased().split { "-_. ".contains($0) }.map(String.init)
    }

    /// The name as a title: `Party-Parrot_01.gif` → `Party Parrot 01`.
    static func title(of name: String) -> String {
        stem(of: name).split { "-_. ".contains($0) }.joined(separator: " ")
    }

    private static func stem(of name: String) -> Substring {
        let last = name.lastIndex(of: "/").map { name[name.index(after: $0)...] } ?? name[...]
        return last.lastIndex(of: ".").map { last[..<$0] } ?? last
    }
}
