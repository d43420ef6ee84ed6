import Base
import Foundation
import MatrixAdapter
import State
import Testing
import TestSupport

@Suite struct SessionFilesTests {
    static let session = StoredSession(userID: "@g:x", deviceID: "DEV", accessToken: Secret("S3CRET"))

    @Test(
        "a session has a file of its own, for the owner only",
        arguments: ["home", "../../etc/passwd", ".hidden", "a b%é", "", "x.session"])
    @Loop func ownFile(_ account: String) async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.save(session: Self.session, of: account)
        await store.flush()
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.folder).filter {
            $0.hasPrefix("matrix-")
        }
        #expect(files.count == 1)
        #expect(try scratch.mode(files[0]) == 0o600)
        await store.close()
        let again = try scratch.open()
        #expect(again.session(of: account) == Self.session)
        again.save(session: nil, of: account)
        await again.close()
        #expect(!scratch.exists(files[0]))
        #expect(try scratch.open().session(of: account) == nil)
        #expect(scratch.log.addedSecrets.contains(Secret("S3CRET")))
    }

    @Test("a token is in no other file") @Loop func nowhereElse() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        StateStoreTests.fill(store, scratch.clock)
        await store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.folder) {
            let bytes = try #require(FileManager.default.contents(atPath: scratch.file(name)))
            #expect((bytes.range(of: Data("S3CRET".utf8)) != nil) == (name == "matrix-home.session"), "\(name)")
        }
        #expect(!scratch.log.lines.joined().contains("S3CRET"))
    }

    @Test("saved without waiting for the second to pass") @Loop func atOnce() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        let day = scratch.clock.now.advanced(by: .days(1))
        store.save(session: Self.session, of: "home")
        #expect(scratch.clock.nextDue == day, "no timer: it is being written already")
        let second = StoredSession(userID: "@g:x", deviceID: "DEV2", accessToken: Secret("S3CRET2"))
        store.save(session: second, of: "home")
        await store.flush()
        #expect(try scratch.killed().open().session(of: "home") == second)
    }

    @Test(
        "a file that can't be read is told and left alone",
        arguments: [
            "", "user_id @g:x\n", "user_id @g:x\ndevice_id D\n", "\u{0}\u{0}", String(repeating: "x", count: 70_000),
        ])
    @Loop func unreadable(_ text: String) throws {
        let scratch = Scratch()
        try scratch.write(Array(text.utf8), to: "matrix-home.session")
        let store = try scratch.open()
        #expect(store.session(of: "home") == nil)
        #expect(scratch.log.lines == ["a stored Matrix session can't be read file=matrix-home.session"])
        #expect(scratch.exists("matrix-home.session"))
    }

    @Test("a session with a line end in it can't forge a second field") @Loop func injection() async throws {
        let scratch = Scratch()
        let store = try scratch.open()
        store.save(
            session: StoredSession(userID: "@g:x\naccess_token y", deviceID: "D", accessToken: Secret("S3CRET")),
            of: "home")
        await store.flush()
        #expect(!scratch.exists("matrix-home.session"))
        #expect(scratch.log.lines.count == 1)
    }
}
