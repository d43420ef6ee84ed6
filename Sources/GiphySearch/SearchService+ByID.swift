extension SearchService {
    /// Whether a source can be asked for a GIF by its own id.
    public func findsByID(in source: String) -> Bool {
        let query = SearchQuery(words: "id", rating: .r, language: "en", kind: .gif, mode: .id)
        return sources.first { $0.name == source }?.offers(query) ?? false
    }
}
