import Glibc

/// Names of the files in a folder that begin so, in no order; none when it can't be read.
func fileNames(in folder: String, beginningWith prefix: String) -> [String] {
    guard let open = opendir(folder) else { return [] }
    defer { closedir(open) }
    var found: [String] = []
    while let entry = readdir(open) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
            name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasPrefix(prefix) { found.append(name) }
    }
    return found
}
