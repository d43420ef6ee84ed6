public import Base
public import MatrixCrypto
import Files
import Glibc
import SQLite

/// The files of one account's keys in the state folder: `keys-ACCOUNT.db`, the secret that it is encrypted under, and for
/// a while the recovery key. The folder is locked by this process.
public struct KeyFiles: Sendable {
    /// What `gifbot verify --recovery-key` shows and removes.
    public static func recoveryKeyName(of account: String) -> String {
        "recovery-key-\(AccountFileName.spelled(account))"
    }

    public struct Opened {
        public let store: any CryptoStore
        /// 32 bytes that pickles and secrets are encrypted under.
        public let pickleKey: [UInt8]
    }

    private static let secretLength = 32

    private let folder: String
    private let name: String
    private let account: String
    private let log: Log
    private let now: @Sendable () -> Int64
    private let random: @Sendable (Int) -> [UInt8]

    /// `now` is milliseconds since 1970; `random` must be fit for keys.
    public init(
        folder: String, account: String, log: Log, now: @escaping @Sendable () -> Int64,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.folder = folder
        name = "keys-" + AccountFileName.spelled(account)
        self.account = account
        self.log = log.area("state")
        self.now = now
        self.random = random
    }

    private var database: String { "\(folder)/\(name).db" }
    private var secret: String { "\(folder)/\(name).secret" }

    /// The store of this device. One that can't be read is set aside, and an empty one takes its place: the machine then takes
    /// it for a device's first start, and the server tells whether it is. The keys of another device are put by until that
    /// device comes back; the account's identity and which rooms are encrypted go over.
    public func open(user: String, device: String) throws(CryptoError) -> Opened {
        let pickleKey = try readSecret()
        var store = try openDatabase(database, maySetAside: true)
        if let account = try store.account(), account.userID != user || account.deviceID != device {
            store = try exchange(store, of: account, user: user, device: device)
        }
        return Opened(store: store, pickleKey: pickleKey)
    }

    /// The other device's file is made ready under its own name, with the account's identity in it, before it takes the
    /// place: wherever the program is killed, a file with the identity is there.
    private func exchange(
        _ store: KeyDatabase, of account: StoredAccount, user: String, device: String
    ) throws(CryptoError) -> KeyDatabase {
        var kept = CryptoChanges()
        kept.encryptedRooms = try store.encryptedRooms()
        if account.userID == user { kept.values = try store.identity() }
        let devices = PutByDevices(folder: folder, database: database)
        let own = devices.path(of: device)
        let other = devices.path(of: account.deviceID)
        guard own != other else {
            // Another user's device of the same name.
            try store.forgetDevice(keepingIdentity: false)
            try store.write(kept)
            return store
        }
        try prepare(own, with: kept, user: user, device: device)
        try store.settle()
        try devices.exchange(own, putting: other)
        log.info("the Matrix keys are those of another device and are put by", ["device": account.deviceID])
        devices.letOldGo(except: other)
        return try openDatabase(database, maySetAside: true)
    }

    private func prepare(
        _ path: String, with kept: CryptoChanges, user: String, device: String
    ) throws(CryptoError) {
        let store = try openDatabase(path, maySetAside: true)
        if let owner = try store.account(), owner.userID != user || owner.deviceID != device {
            try store.forgetDevice(keepingIdentity: false)
        }
        try store.write(kept)
        try store.settle()
    }

    /// Whose keys lie there, beside a bot that may be running: takes and changes nothing. Nil where there are none to be read.
    public func peek() -> (account: StoredAccount, pickleKey: [UInt8])? {
        guard let key = try? OwnerFile.read(secret, atMost: 4096), key.count == Self.secretLength,
            let opened = try? Database(readingFrom: database, busyTimeout: .seconds(1)),
            let account = try? KeyTables.account(in: opened)
        else { return nil }
        return (account, key)
    }

    /// Moves the file out of the way: what is in it can't be decrypted. Nothing else may have it open.
    public func setAside() throws(CryptoError) {
        guard access(database, F_OK) == 0 else { return }
        guard let aside = moveAside(database) else { throw .store("can't set \(name).db aside: \(systemText(errno))") }
        log.warning("the Matrix keys can't be decrypted and are set aside", ["file": aside])
    }

    /// Lays a recovery key where `gifbot verify --recovery-key` finds it.
    public func keep(recoveryKey: String) throws(CryptoError) {
        let path = "\(folder)/\(Self.recoveryKeyName(of: account))"
        do throws(FileError) {
            try OwnerFile.replace(path, with: Array("\(recoveryKey)\n".utf8))
        } catch {
            throw .store(error.description)
        }
    }

    /// Without the right secret nothing in the database can be read, so both go together.
    private func readSecret() throws(CryptoError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try OwnerFile.read(secret, atMost: 4096)
        } catch {
            throw .store("can't read \(name).secret: \(error)")
        }
        if let bytes, bytes.count == Self.secretLength { return bytes }
        let trouble = bytes.map { $0.isEmpty ? "empty" : "of the wrong length" } ?? "missing"
        if access(database, F_OK) == 0 {
            guard let aside = moveAside(database) else { throw .store("\(name).secret is \(trouble)") }
            log.warning(
                "the Matrix keys can't be read without their secret and are set aside",
                ["file": aside, "reason": "\(name).secret is \(trouble)"])
        }
        let made = random(Self.secretLength)
        do throws(FileError) {
            try OwnerFile.replace(secret, with: made)
        } catch {
            throw .store("can't write \(name).secret: \(error)")
        }
        return made
    }

    private func openDatabase(_ path: String, maySetAside: Bool) throws(CryptoError) -> KeyDatabase {
        let reason: String?
        do throws(SQLiteError) {
            // A file that was copied here may have come with other rights.
            chmod(path, 0o600)
            let opened = try Database(path: path, busyTimeout: .seconds(1))
            switch try KeySchema.migrate(opened) {
            case .newer: reason = nil
            case .foreign: reason = "not a database of gifbot"
            case .ready:
                FileDescriptor.syncFolder(of: path)
                return try KeyDatabase(opened, now: now) { [self] in moveAside(path) }
            }
        } catch {
            guard error.kind != .unavailable else { throw .store(error.description) }
            reason = error.description
        }
        guard let reason else {
            throw .store("\(name).db was written by a newer gifbot; use that one, or another state folder")
        }
        guard maySetAside, let aside = moveAside(path) else { throw .store(reason) }
        log.warning("the Matrix keys couldn't be read and are set aside", ["file": aside, "reason": reason])
        return try openDatabase(path, maySetAside: false)
    }

    private func moveAside(_ path: String) -> String? {
        guard let (broken, gone) = BrokenFiles(folder: folder, prefix: "\(name).db.broken-").add(path) else {
            return nil
        }
        for file in gone {
            log.warning("the oldest Matrix keys that couldn't be read are removed", ["file": file])
        }
        return broken
    }
}
