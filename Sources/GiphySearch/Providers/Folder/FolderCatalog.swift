/// A folder's files as somebody indexed them beforehand. Used from one thread at a time, and it may block.
public protocol FolderCatalog: AnyObject {
    /// Another one from now on; looked at before each use. Nil when there is no index (any more).
    func stamp() -> UInt64?

    /// The files for a request from `offset` on, and whether there are more behind them.
    func files(for request: PageRequest, from offset: Int, atMost limit: Int) throws(FolderError)
        -> (files: [FolderFile], isMore: Bool)
}

/// Opens the catalog of a folder, whether there is an index now or may come later.
public typealias FolderCatalogOpener = @Sendable (_ folder: String) -> any FolderCatalog
