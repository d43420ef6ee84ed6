import Base
import Matrix

/// Which rooms the account is in: invitations, rooms of the config, upgrades, and leaving.
extension MatrixAdapter {
    /// How often what the config names is looked at again: an alias may have moved, a room may let the account in by now.
    private static let tendingInterval: Duration = .hours(1)

    func invited(_ invite: Invite) {
        guard !isIgnored(invite.inviter) else { return }
        let isWanted =
            names.isConfigured(invite.room) || names.isReplacement(invite.room)
            || settings.invites.accepts(invite.inviter, isAdmin: admins.contains(invite.inviter))
        guard isWanted, !invite.isSpace else {
            log.info(
                "an invitation is not accepted",
                ["room": invite.room, "reason": invite.isSpace ? "it is a space" : "the policy for invitations"])
            return
        }
        noteInviter(invite)
        // One that is being tried already waits for just this.
        joiner.forget(invite.room)
        joiner.join(invite.room, via: [MatrixID.server(of: invite.inviter)].compactMap { $0 })
    }

    /// Enters what the config names and the account isn't in, but for rooms that it was made to leave.
    func enterConfiguredRooms() {
        guard let session else { return }
        for room in names.rooms where session.rooms[room] == nil && !removed.contains(room) {
            joiner.join(room, via: [])
        }
        for alias in names.unresolvedAliases { joiner.join(alias, via: []) }
    }

    /// Aliases give rooms their names in settings, so they are looked up before anything is read there, and again now and
    /// then.
    func learnAliases() async {
        guard let access else { return }
        let calls = calls
        // One of a server that is away takes long to be refused.
        await sideBySide(names.aliases, width: Self.questionsAtOnce, by: clock.now + Self.questionTime, clock: clock) {
            [weak self] alias in
            let room = await calls(access.server.room(ofAlias: alias), Replies.room)
            if !Task.isCancelled, case .success(let id) = room { self?.names.resolved(alias, to: id) }
        }
    }

    func tendRooms() async {
        while !Task.isCancelled {
            await clock.sleep(for: Self.tendingInterval)
            if Task.isCancelled { return }
            await learnAliases()
            if Task.isCancelled { return }
            enterConfiguredRooms()
        }
    }

    // MARK: What the sync brought

    /// How rooms are called has to be known before a message of the same batch is read. Both rooms have to say it: anybody can
    /// make a room that claims another for its origin, or for its continuation.
    func learnUpgrades(_ effects: [SyncEffect]) {
        guard let session else { return }
        for case .upgraded(let upgrade) in effects {
            let room = session.rooms[upgrade.replacement]
            guard room == nil || room?.predecessor == upgrade.room,
                names.upgraded(upgrade.room, to: upgrade.replacement)
            else { continue }
            store.save(RoomUpgrade(from: upgrade.room, to: upgrade.replacement), of: session.userID)
        }
        for case .joined(let room) in effects {
            guard let origin = names.origin(of: room), session.rooms[room]?.predecessor != origin else { continue }
            names.disown(room)
        }
    }

    func upgraded(_ upgrade: Upgrade) {
        guard let session else { return }
        if session.rooms[upgrade.replacement] == nil {
            joiner.follow(upgrade, as: session.userID)
        } else if names.origin(of: upgrade.replacement) == upgrade.room {
            leaver.leave(upgrade.room)
        }
    }

    func joined(_ room: String) {
        joiner.forget(room)
        enteredDirectChat(room)
        // Where it came from nobody talks any more.
        if let origin = names.origin(of: room), session?.rooms[origin] != nil { leaver.leave(origin) }
    }

    func left(_ room: String) {
        removed.insert(room)
        forgetDirectChats(in: room)
        joiner.forget(room)
        sender.left(room)
        release(late.left(room))
        leaver.forget(room)
    }

    /// A room of the config is kept though nobody is there yet.
    func alone(in room: String) {
        guard !names.isConfigured(room) else { return }
        log.info("left alone in a room; leaving it", ["room": room])
        leaver.leave(room)
    }

    func foundSpace(_ room: String) {
        log.warning("a space is no room to talk in; leaving it", ["room": room])
        leaver.leave(room)
    }
}
