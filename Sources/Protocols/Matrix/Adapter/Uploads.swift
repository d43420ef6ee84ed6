import Base
import Chat
import Files
import HTTP
import Images
import Matrix
import MatrixCrypto

/// Brings the files of answers to the homeserver. What was brought once is used again.
@Loop final class Uploads {
    /// For all of it: waiting in line, every download and upload. After that the link is sent.
    static let patience: Duration = .seconds(30)
    /// For one download.
    static let downloadTimeout: Duration = .seconds(20)
    /// Files of one GIF that are fetched at most.
    private static let mostDownloads = 3

    struct Fetched: Sendable {
        /// As they are uploaded.
        let bytes: [UInt8]
        let header: ImageHeader
        /// Before any encryption.
        let byteCount: Int
        /// What opens them; nil for bytes in clear.
        let key: EncryptedFile?
    }

    enum FetchFailure: Error {
        case tooLarge
        /// For the log.
        case failed(String)
    }

    private let calls: Calls
    private let clock: any LoopClock
    private let store: any MatrixStore
    private let log: Log
    private let line: MediaLine
    private let files = FileBytes()

    var server: Homeserver? {
        didSet {
            guard server?.baseURL != oldValue?.baseURL else { return }
            limit = nil
            knowsLimit = false
        }
    }
    var userID: String?
    /// Bytes that the server takes; found out at the first upload, and by refusals. Nil: it doesn't say.
    private var limit: Int?
    private var knowsLimit = false

    init(calls: Calls, clock: any LoopClock, store: any MatrixStore, log: Log) {
        self.calls = calls
        self.clock = clock
        self.store = store
        self.log = log
        line = MediaLine(clock: clock)
    }

    /// What lies on the server already, if it fits here.
    func known(_ media: ReplyMedia) -> MediaContent? {
        guard let userID, let upload = store.upload(of: media.id, by: userID),
            upload.byteCount <= media.maximumBytes, media.files.contains(where: { $0.mayBe(upload) })
        else { return nil }
        return content(upload, media)
    }

    /// The file on the server, in clear, as long as that is allowed; nil when it can't be had, and the link has to do.
    func content(for media: ReplyMedia, mayBeClear: () -> Bool) async -> MediaContent? {
        let deadline = clock.now + Self.patience
        guard let server, await line.enter(media.id, bytes: media.maximumBytes, by: deadline) else { return nil }
        defer { line.leave(media.id) }
        if let known = known(media) { return known }
        await learnLimit(server)
        guard !Task.isCancelled,
            let (uri, fetched) = await bring(media, to: server, by: deadline, mayBeClear, Self.judge)
        else {
            return nil
        }
        let upload = StoredUpload(uri: uri, fetched)
        if let userID { store.save(upload: upload, of: media.id, by: userID) }
        return content(upload, media)
    }

    /// The same for an encrypted room. It is uploaded anew each time, under a key of its own: two rooms with one key between
    /// them could read each other's, and the server would see that they were shown the same.
    func sealedContent(for media: ReplyMedia, _ cipher: AttachmentCipher) async -> MediaContent? {
        let deadline = clock.now + Self.patience
        guard let server, await line.enter(media.id, bytes: media.maximumBytes, by: deadline) else { return nil }
        defer { line.leave(media.id) }
        await learnLimit(server)
        guard !Task.isCancelled,
            let (uri, fetched) = await bring(media, to: server, by: deadline, { false }, Self.sealer(cipher)),
            let key = fetched.key
        else { return nil }
        var content = content(StoredUpload(uri: uri, fetched), media)
        content.file = key.json(url: uri)
        return content
    }

    /// The largest file that the server takes: after a refusal as too large a smaller one, once.
    private func bring(
        _ media: ReplyMedia, to server: Homeserver, by deadline: Instant, _ mayBeClear: () -> Bool,
        _ judge: @escaping Judge
    ) async -> (uri: String, Fetched)? {
        var downloads = 0
        var wasRefused = false
        for file in media.files {
            let most = min(media.maximumBytes, limit ?? .max)
            // A known size is often wrong, but seldom too large.
            guard file.byteCount ?? 0 <= most, downloads < Self.mostDownloads, clock.now < deadline else { continue }
            downloads += 1
            let fetched: Fetched
            switch await fetch(file, atMost: most, by: deadline, judge) {
            case .success(let found): fetched = found
            case .failure(.tooLarge):
                log.debug("a file is too large", ["gif": media.id, "bytes": String(most)])
                continue
            case .failure(.failed(let reason)):
                log.debug("a file can't be fetched", ["gif": media.id, "reason": reason])
                continue
            }
            if Task.isCancelled { return nil }
            switch await upload(fetched, media, to: server, by: deadline, mayBeClear) {
            case .success(let uri): return (uri, fetched)
            case .failure(let error) where error.isTooLarge && !wasRefused:
                wasRefused = true
                limit = min(limit ?? .max, fetched.bytes.count - 1)
            case .failure(let error):
                log.info("the link is sent instead of the file", ["gif": media.id, "reason": error.text])
                return nil
            }
            if Task.isCancelled { return nil }
        }
        log.debug("no file of it can be posted; the link is sent", ["gif": media.id])
        return nil
    }

    /// Read only as far as allowed, whatever was said about its length, and judged before it comes back to the loop.
    private func fetch(
        _ file: ReplyMedia.File, atMost limit: Int, by deadline: Instant, _ judge: @escaping Judge
    ) async -> Result<Fetched, FetchFailure> {
        if file.url.hasPrefix("file:") {
            guard let folder = file.folder, let path = FileBytes.path(of: file.url), path.hasPrefix(folder + "/") else {
                return .failure(.failed("no path"))
            }
            do throws(FileError) {
                let name = String(path.dropFirst(folder.count + 1))
                return try await files.read(name, below: folder, upTo: limit, judge)
            } catch {
                if case .tooLarge = error { return .failure(.tooLarge) }
                return .failure(.failed("the file can't be read: \(error)"))
            }
        }
        let request = HTTPRequest(
            .get, file.url, headers: [HTTPHeader("Accept", "image/*,video/mp4")],
            timeout: min(Self.downloadTimeout, clock.now.duration(to: deadline)), maximumBody: limit,
            followsRedirects: true)
        do throws(HTTPError) {
            return try await calls.http.send(request) { response in
                response.status == 200 ? judge(response.body) : .failure(.failed("status \(response.status)"))
            }
        } catch {
            if case .bodyTooLarge = error { return .failure(.tooLarge) }
            return .failure(.failed(MatrixError.transport(error).text))
        }
    }

    /// What becomes of bytes where they come in, off the loop.
    private typealias Judge = @Sendable ([UInt8]) -> Result<Fetched, FetchFailure>

    @Sendable private nonisolated static func judge(_ bytes: [UInt8]) -> Result<Fetched, FetchFailure> {
        guard let header = ImageHeader.parse(bytes) else { return .failure(.failed("no picture that is known")) }
        return .success(Fetched(bytes: bytes, header: header, byteCount: bytes.count, key: nil))
    }

    private nonisolated static func sealer(_ cipher: AttachmentCipher) -> Judge {
        { bytes in
            guard let header = ImageHeader.parse(bytes) else { return .failure(.failed("no picture that is known")) }
            guard let sealed = cipher.seal(bytes) else { return .failure(.failed("it can't be encrypted")) }
            return .success(
                Fetched(bytes: sealed.ciphertext, header: header, byteCount: bytes.count, key: sealed.file))
        }
    }

    private func upload(
        _ fetched: Fetched, _ media: ReplyMedia, to server: Homeserver, by deadline: Instant, _ mayBeClear: () -> Bool
    ) async -> Result<String, MatrixError> {
        // What it is, and how it is called, isn't the server's to know.
        let type = fetched.key == nil ? fetched.header.format.mediaType : "application/octet-stream"
        let name = fetched.key == nil ? MediaContent.fileName(for: media.title, mediaType: type) : nil
        var tries = 0
        while true {
            // Encryption may have been switched on while it was fetched.
            guard fetched.key != nil || mayBeClear() else { return .failure(.transport(.cancelled)) }
            let left = clock.now.duration(to: deadline)
            let request = server.upload(fetched.bytes, mediaType: type, fileName: name, timeout: left)
            let result = await calls(request, Replies.uploaded)
            // The account's limit holds for uploads too.
            guard case .failure(let error) = result, error.isLimit, case .after(let told) = error.retry,
                !Task.isCancelled
            else { return result }
            let wait = max(told ?? Outbox.firstWait, Outbox.floor(ofTry: tries))
            guard clock.now + wait < deadline else { return result }
            tries += 1
            await clock.sleep(for: wait)
            if Task.isCancelled { return .failure(.transport(.cancelled)) }
        }
    }

    /// Any file, for the account's own picture.
    func upload(_ bytes: [UInt8], mediaType: String, fileName: String) async -> Result<String, MatrixError> {
        guard let server else { return .failure(.transport(.cancelled)) }
        return await calls(
            server.upload(bytes, mediaType: mediaType, fileName: fileName, timeout: Self.patience), Replies.uploaded)
    }

    /// Asked once for a server that answers.
    private func learnLimit(_ server: Homeserver) async {
        guard !knowsLimit else { return }
        var result = await calls(server.mediaSettings(), Replies.uploadLimit)
        if case .failure(let error) = result, error.isUnknownCall {
            result = await calls(server.oldMediaSettings(), Replies.uploadLimit)
        }
        switch result {
        case .success(let found):
            knowsLimit = true
            limit = found
        case .failure(let error): knowsLimit = error.isUnknownCall
        }
    }

    private func content(_ upload: StoredUpload, _ media: ReplyMedia) -> MediaContent {
        MediaContent(
            uri: upload.uri, mediaType: upload.mediaType, width: upload.width, height: upload.height,
            byteCount: upload.byteCount, isAnimated: upload.isAnimated,
            fileName: MediaContent.fileName(for: media.title, mediaType: upload.mediaType), altText: media.altText)
    }
}

extension ReplyMedia.File {
    /// Unknown sizes may be any.
    fileprivate func mayBe(_ upload: StoredUpload) -> Bool {
        (width ?? upload.width) == upload.width && (height ?? upload.height) == upload.height
    }
}

extension StoredUpload {
    fileprivate init(uri: String, _ fetched: Uploads.Fetched) {
        self.init(
            uri: uri, mediaType: fetched.header.format.mediaType, width: fetched.header.width,
            height: fetched.header.height, byteCount: fetched.byteCount, isAnimated: fetched.header.isAnimated)
    }
}
