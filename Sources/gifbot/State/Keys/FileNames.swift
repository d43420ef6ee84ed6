import Files

/// Names of the files in a folder that begin so, in no order; none when it can't be read.
func fileNames(in folder: String, beginningWith prefix: String) -> [String] {
    guard let entries = try? FolderListing(folder) else { return [] }
    return entries.compactMap(\.name).filter { $0.hasPrefix(prefix) }
}
