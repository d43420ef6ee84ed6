import Base
import Dispatch
import Files
import GiphySearch
import Glibc
import Images
import SQLite
import Synchronization

/// Makes the index of a folder, or brings it up to date: files with the same size and time are not opened again, and those that
/// are gone are forgotten.
public struct FolderIndexer: Sendable {
    public struct Outcome: Equatable, Sendable {
        /// Moving pictures in the index.
        public var animated = 0
        /// Pictures that don't move.
        public var still = 0
        /// Files opened in this run.
        public var opened = 0
        /// Files of the last index that are gone.
        public var forgotten = 0
        /// What was passed over, with its name.
        public var troubles: [String] = []
        /// Where the index is.
        public var path = ""
    }

    public struct Failure: Error, Equatable, Sendable {
        public let reason: String
    }

    private let place: IndexPlace

    public init(_ place: IndexPlace) {
        self.place = place
    }

    /// `progress` hears how many of how many files are done, from several threads.
    public func run(progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }) throws(Failure) -> Outcome {
        guard let path = place.writable else {
            throw Failure(reason: "neither \(place.folder) nor a state folder can be written")
        }
        let scan = FolderScan(place.folder)
        let side = SideFile(folder: place.folder)
        let old = known()
        let headers = read(scan.files, old, progress)
        var outcome = Outcome()
        outcome.path = path
        outcome.troubles = scan.troubles + side.troubles
        var files: [IndexedFile] = []
        files.reserveCapacity(scan.files.count)
        for (scanned, found) in zip(scan.files, headers) {
            let entry = side.entries[scanned.name]
            if found.isOpened { outcome.opened += 1 }
            if found.header != nil {
                outcome.animated += 1
            } else if found.isStill {
                outcome.still += 1
            } else {
                outcome.troubles.append("\(scanned.name): no picture that gifbot can read")
            }
            files.append(
                IndexedFile(
                    scanned: scanned, header: found.header, isStill: found.isStill, title: entry?.title,
                    tags: entry?.tags ?? ""))
        }
        let names = Set(scan.files.map(\.name))
        outcome.forgotten = old.values.count { !names.contains($0.scanned.name) }
        if files != Array(old.values).sorted(by: Self.byName) || place.found != path { try write(files, to: path) }
        return outcome
    }

    private static func byName(_ one: IndexedFile, _ other: IndexedFile) -> Bool {
        one.scanned.name.utf8.lexicographicallyPrecedes(other.scanned.name.utf8)
    }

    private func known() -> [String: IndexedFile] {
        guard let path = place.found, let database = try? Database(readingFrom: path, busyTimeout: .seconds(1)),
            let files = try? IndexTables.read(from: database)
        else { return [:] }
        return Dictionary(files.map { ($0.scanned.name, $0) }) { $1 }
    }

    private struct Found: Sendable {
        var header: IndexedFile.Header?
        var isStill = false
        var isOpened = false
    }

    /// In pieces on all cores: opening a file costs more than looking at its beginning.
    private func read(
        _ files: [ScannedFile], _ old: [String: IndexedFile], _ progress: @escaping @Sendable (Int, Int) -> Void
    ) -> [Found] {
        let size = 500
        let pieces = (files.count + size - 1) / size
        let folder = try? OpenFolder(place.folder)
        let results = Mutex<[Int: [Found]]>([:])
        let done = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: pieces) { piece in
            let part = files[(piece * size)..<min(files.count, (piece + 1) * size)]
            let found = part.map { file in
                if let known = old[file.name], known.scanned == file {
                    return Found(header: known.header, isStill: known.isStill)
                }
                return look(at: file, in: folder)
            }
            results.withLock { $0[piece] = found }
            progress(done.add(part.count, ordering: .relaxed).newValue, files.count)
        }
        return results.withLock { results in (0..<pieces).flatMap { results[$0] ?? [] } }
    }

    private func look(at file: ScannedFile, in folder: OpenFolder?) -> Found {
        guard let header = header(of: file, in: folder) else { return Found(isOpened: true) }
        guard header.isAnimated else { return Found(isStill: true, isOpened: true) }
        return Found(
            header: IndexedFile.Header(width: header.width, height: header.height, format: header.format),
            isOpened: true)
    }

    private func header(of file: ScannedFile, in folder: OpenFolder?) -> ImageHeader? {
        guard let folder else { return nil }
        do throws(FileError) {
            return AnimatedFile.header(of: try folder.file(file.name), bytes: file.bytes)
        } catch {
            return nil
        }
    }

    /// A new file beside the old one, put in its place when it is whole: whoever reads the old one goes on reading it.
    private func write(_ files: [IndexedFile], to path: String) throws(Failure) {
        let new = "\(path).\(getpid()).new"
        unlink(new)
        do throws(SQLiteError) {
            let database = try Database(path: new, busyTimeout: .seconds(1))
            try IndexTables.write(files, to: database)
        } catch {
            unlink(new)
            throw Failure(reason: "can't write \(path): \(error)")
        }
        // The bot may run as somebody else; what is in it can be read in the folder anyway.
        chmod(new, 0o644)
        guard rename(new, path) == 0 else {
            let error = FileError.last
            unlink(new)
            throw Failure(reason: "can't write \(path): \(error)")
        }
    }
}
