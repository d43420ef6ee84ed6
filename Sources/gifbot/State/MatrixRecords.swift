import Base
public import MatrixAdapter
import SQLite

/// What Matrix accounts keep besides positions and sessions: answers that may still be changed, and where GIFs lie on their
/// homeservers. Of each the last so many; the oldest go first.
struct MatrixRecords: Sendable {
    static let mostAnswers = 1000
    static let mostUploads = 1000

    static let tables: StaticString = """
        CREATE TABLE matrix_answers (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, id TEXT NOT NULL, room TEXT NOT NULL,
            thread TEXT NOT NULL, asker TEXT NOT NULL, event TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE (account, id));
        CREATE TABLE matrix_uploads (
            number INTEGER PRIMARY KEY, account TEXT NOT NULL, gif TEXT NOT NULL, uri TEXT NOT NULL,
            type TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL, bytes INTEGER NOT NULL,
            animated INTEGER NOT NULL, at INTEGER NOT NULL, UNIQUE (account, gif))
        """

    /// Answers of before say nothing of it; they stand where they were asked for, as a rule.
    static let commandRoom: StaticString = "ALTER TABLE matrix_answers ADD COLUMN command_room TEXT NOT NULL DEFAULT ''"

    private struct UploadName: Hashable {
        let account: String
        let gif: String
    }

    /// As found at the start, until the account has taken them up.
    private var answers: [String: [StoredAnswer]] = [:]
    private var uploads: [UploadName: (upload: StoredUpload, at: WallTime)] = [:]
    /// A ring once it has reached the bound; a name is in it once.
    private var order: [UploadName] = []
    private var oldest = 0

    func upload(of gif: String, by account: String) -> StoredUpload? {
        uploads[UploadName(account: account, gif: gif)]?.upload
    }

    mutating func record(_ upload: StoredUpload, of gif: String, by account: String, at time: WallTime) {
        let name = UploadName(account: account, gif: gif)
        defer { uploads[name] = (upload, time) }
        guard uploads[name] == nil, !order.contains(name) else { return }
        guard order.count >= Self.mostUploads else { return order.append(name) }
        uploads[order[oldest]] = nil
        order[oldest] = name
        oldest = (oldest + 1) % Self.mostUploads
    }

    mutating func takeAnswers(of account: String) -> [StoredAnswer] {
        answers.removeValue(forKey: account) ?? []
    }

    mutating func forget(before time: WallTime) {
        for (name, entry) in uploads where entry.at < time { uploads[name] = nil }
    }

    fileprivate mutating func found(_ answer: StoredAnswer, of account: String) {
        answers[account, default: []].append(answer)
    }
}

enum MatrixChange: Equatable, Sendable {
    case answer(StoredAnswer, account: String)
    case noAnswer(String, account: String)
    case directChat(String?, with: String, account: String, WallTime)
    case encrypted(room: String, account: String)
    case upload(StoredUpload, gif: String, account: String, WallTime)
}

extension StateStore {
    public func answers(of account: String) -> [StoredAnswer] {
        memory.matrix.takeAnswers(of: account)
    }

    public func save(answer: StoredAnswer, of account: String) {
        append(.matrix(.answer(answer, account: account)))
    }

    public func forget(answer: String, of account: String) {
        append(.matrix(.noAnswer(answer, account: account)))
    }

    public func upload(of gif: String, by account: String) -> StoredUpload? {
        memory.matrix.upload(of: gif, by: account)
    }

    public func save(upload: StoredUpload, of gif: String, by account: String) {
        memory.matrix.record(upload, of: gif, by: account, at: clock.wall)
        append(.matrix(.upload(upload, gif: gif, account: account, clock.wall)))
    }
}

extension MatrixRecords {
    /// Rows that are older than `oldest` are passed over, and true is returned if there were any.
    mutating func load(from database: Database, since oldest: WallTime) throws(SQLiteError) -> Bool {
        var sawOldRows = false
        let answers = try database.prepare(
            """
            SELECT account, id, command_room, room, thread, asker, event, at FROM matrix_answers
            WHERE number > (SELECT coalesce(max(number), 0) FROM matrix_answers) - ? ORDER BY number
            """)
        try answers.bind(1, Int64(Self.mostAnswers))
        while try answers.next() {
            let time = WallTime(milliseconds: answers.integer(7))
            guard time >= oldest else {
                sawOldRows = true
                continue
            }
            let thread = answers.text(4)
            let commandRoom = answers.text(2)
            let answer = StoredAnswer(
                id: answers.text(1), commandRoom: commandRoom.isEmpty ? answers.text(3) : commandRoom,
                room: answers.text(3),
                thread: thread.isEmpty ? nil : thread, asker: answers.text(5), event: answers.text(6), at: time)
            found(answer, of: answers.text(0))
        }
        let uploads = try database.prepare(
            """
            SELECT account, gif, uri, type, width, height, bytes, animated, at FROM matrix_uploads
            WHERE number > (SELECT coalesce(max(number), 0) FROM matrix_uploads) - ? ORDER BY number
            """)
        try uploads.bind(1, Int64(Self.mostUploads))
        while try uploads.next() {
            let time = WallTime(milliseconds: uploads.integer(8))
            guard time >= oldest else {
                sawOldRows = true
                continue
            }
            let upload = StoredUpload(
                uri: uploads.text(2), mediaType: uploads.text(3), width: Int(uploads.integer(4)),
                height: Int(uploads.integer(5)), byteCount: Int(uploads.integer(6)),
                isAnimated: uploads.integer(7) != 0)
            record(upload, of: uploads.text(1), by: uploads.text(0), at: time)
        }
        return sawOldRows
    }
}

/// Writes the tables.
struct MatrixStatements {
    private let answer: Statement
    private let noAnswer: Statement
    private let trimmedAnswers: Statement
    private let oldAnswers: Statement
    private let directChat: Statement
    private let noDirectChat: Statement
    private let trimmedDirectChats: Statement
    private let oldDirectChats: Statement
    private let encrypted: Statement
    private let upload: Statement
    private let trimmedUploads: Statement
    private let oldUploads: Statement

    init(_ database: Database) throws(SQLiteError) {
        answer = try database.prepare(
            """
            INSERT OR REPLACE INTO matrix_answers (account, id, command_room, room, thread, asker, event, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        noAnswer = try database.prepare("DELETE FROM matrix_answers WHERE account = ? AND id = ?")
        trimmedAnswers = try database.prepare(
            "DELETE FROM matrix_answers WHERE number <= (SELECT max(number) FROM matrix_answers) - ?")
        oldAnswers = try database.prepare("DELETE FROM matrix_answers WHERE at < ?")
        directChat = try database.prepare(DirectChats.insert)
        noDirectChat = try database.prepare(DirectChats.delete)
        trimmedDirectChats = try database.prepare(DirectChats.trim)
        oldDirectChats = try database.prepare(DirectChats.old)
        encrypted = try database.prepare(EncryptedRooms.insert)
        upload = try database.prepare(
            """
            INSERT OR REPLACE INTO matrix_uploads (account, gif, uri, type, width, height, bytes, animated, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        trimmedUploads = try database.prepare(
            "DELETE FROM matrix_uploads WHERE number <= (SELECT max(number) FROM matrix_uploads) - ?")
        oldUploads = try database.prepare("DELETE FROM matrix_uploads WHERE at < ?")
    }

    func write(_ change: MatrixChange) throws(SQLiteError) {
        switch change {
        case .answer(let given, let account):
            try answer.run(
                account, given.id, given.commandRoom, given.room, given.thread ?? "", given.asker, given.event,
                given.at.milliseconds)
            try trimmedAnswers.run(Int64(MatrixRecords.mostAnswers))
        case .noAnswer(let id, let account): try noAnswer.run(account, id)
        case .directChat(let room?, let user, let account, let time):
            try directChat.run(account, user, room, time.milliseconds)
            try trimmedDirectChats.run(Int64(DirectChats.capacity))
        case .directChat(nil, let user, let account, _): try noDirectChat.run(account, user)
        case .encrypted(let room, let account): try encrypted.run(account, room)
        case .upload(let file, let gif, let account, let time):
            try upload.run(
                account, gif, file.uri, file.mediaType, Int64(file.width), Int64(file.height), Int64(file.byteCount),
                Int64(file.isAnimated ? 1 : 0), time.milliseconds)
            try trimmedUploads.run(Int64(MatrixRecords.mostUploads))
        }
    }

    func forget(before time: WallTime) throws(SQLiteError) {
        try oldAnswers.run(time.milliseconds)
        try oldUploads.run(time.milliseconds)
        try oldDirectChats.run(time.milliseconds)
    }
}
