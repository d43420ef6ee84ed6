public import JSON

/// A file that lies on the homeserver, as `m.image` and `m.video` show it.
public struct MediaContent: Equatable, Sendable {
    /// `mxc:`.
    public var uri: String
    /// From the bytes.
    public var mediaType: String
    /// Pixels.
    public var width: Int
    public var height: Int
    /// Bytes, of what was uploaded.
    public var byteCount: Int
    public var isAnimated: Bool
    public var fileName: String
    /// What is to be seen, in words.
    public var altText: String?
    /// The `EncryptedFile` of what lies there encrypted; its key is in it.
    public var file: JSONValue?

    public var isEncrypted: Bool { file != nil }

    public init(
        uri: String, mediaType: String, width: Int, height: Int, byteCount: Int, isAnimated: Bool, fileName: String,
        altText: String? = nil
    ) {
        self.uri = uri
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.byteCount = byteCount
        self.isAnimated = isAnimated
        self.fileName = fileName
        self.altText = altText
    }

    private var isVideo: Bool { mediaType.hasPrefix("video/") }

    /// The body is a caption because the file has a name besides ("Media captions"); whole numbers, so that clients can lay
    /// out before they load.
    func add(to content: inout JSONObject) {
        content["msgtype"] = isVideo ? "m.video" : "m.image"
        if let file { content["file"] = file } else { content["url"] = .string(uri) }
        content["filename"] = .string(fileName)
        var info: JSONObject = [
            "mimetype": .string(mediaType), "size": .integer(Int64(byteCount)), "w": .integer(Int64(width)),
            "h": .integer(Int64(height)),
        ]
        // Of a film nobody asks (ImageInfo, v1.18).
        if !isVideo { info["is_animated"] = .bool(isAnimated) }
        content["info"] = .object(info)
        // The specification has no place for it yet; this is the one of extensible events (MSC3552).
        if let altText {
            content["org.matrix.msc1767.alt_text"] = [
                "org.matrix.msc1767.text": [["body": .string(altText), "mimetype": "text/plain"]]
            ]
        }
    }
}

extension MediaContent {
    /// `Party Parrot!` → `party-parrot.gif`, for people who save the file.
    public static func fileName(for title: String, mediaType: String) -> String {
        var words = ""
        for scalar in title.lowercased().unicodeScalars {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                words.unicodeScalars.append(scalar)
            } else if !words.isEmpty, words.unicodeScalars.last != "-" {
                words += "-"
            }
            if words.unicodeScalars.count >= 60 { break }
        }
        if words.unicodeScalars.last == "-" { words.unicodeScalars.removeLast() }
        let ending = mediaType.split(separator: "/").last.map(String.init) ?? "gif"
        return (words.isEmpty ? "image" : words) + "." + ending
    }
}
