import Base
import Files
import Images
import Matrix

extension MatrixAdapter {
    private static let largestAvatar = 4 << 20

    /// Uploaded once: what was uploaded is known by what is in it. Failing is no reason to stop.
    func showAvatar(_ access: Access) async {
        guard let wanted = settings.avatar, let uri = await avatarURI(wanted) else { return }
        let shown = await calls(access.server.avatar(of: access.userID), Replies.avatar)
        guard !Task.isCancelled else { return }
        if case .success(uri) = shown { return }
        let set = await calls(access.server.setAvatar(uri, of: access.userID), Replies.done)
        if case .failure(let error) = set { log.warning("the avatar can't be set", ["reason": error.text]) }
    }

    private func avatarURI(_ wanted: String) async -> String? {
        if wanted.hasPrefix("mxc://") { return wanted }
        let read: (bytes: [UInt8], type: String?, sum: String)
        do throws(FileError) {
            read = try await FileBytes().read(wanted, upTo: Self.largestAvatar) { bytes in
                (bytes, mediaType(of: bytes), String(bytes.withUnsafeBufferPointer { shortDigest($0) }, radix: 16))
            }
        } catch {
            log.warning("the avatar can't be read", ["reason": error.description])
            return nil
        }
        guard let type = read.type, let userID = session?.userID, !Task.isCancelled else {
            log.warning("the avatar is no picture that is known", [:])
            return nil
        }
        let id = "avatar:" + read.sum
        if let known = store.upload(of: id, by: userID) { return known.uri }
        switch await uploads.upload(read.bytes, mediaType: type, fileName: "avatar") {
        case .success(let uri):
            let upload = StoredUpload(
                uri: uri, mediaType: type, width: 1, height: 1, byteCount: read.bytes.count, isAnimated: false)
            store.save(upload: upload, of: id, by: userID)
            return uri
        case .failure(let error):
            log.warning("the avatar can't be uploaded", ["reason": error.text])
            return nil
        }
    }
}

/// Photographs too, which no GIF is.
@Sendable private func mediaType(of bytes: [UInt8]) -> String? {
    if let header = ImageHeader.parse(bytes) { return header.format.isVideo ? nil : header.format.mediaType }
    return bytes.starts(with: [0xFF, 0xD8, 0xFF]) ? "image/jpeg" : nil
}
