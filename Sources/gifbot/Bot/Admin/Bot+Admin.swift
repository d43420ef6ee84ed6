import Base
import Chat
import RateLimiter

extension Bot {
    /// Everybody may ask; who has no right is told so, a few times a minute at most. Somebody without rights who says something
    /// else than a command of administrators looks for a GIF of one.
    func administer(_ text: String, _ request: Request) {
        let sender = request.message.sender
        guard sender.isAdmin || sender.isOperator else {
            if AdminCall.isMeant(by: text) { return refuse(.adminsOnly, request) }
            let words = QueryWords.text(in: "admin \(text)".utf8.span, from: 0)
            return run(.search(SearchArgument(words: words)), request)
        }
        do throws(AdminFault) {
            let call = try AdminCall(parsing: text, request, settings)
            guard call.author.isAdmin || !call.verb.isChange || isInTime(sender, request) else { throw .tooFast }
            try call.verb.work(self, call)
        } catch {
            refuse(error, request)
        }
    }

    func isInTime(_ sender: Sender, _ request: Request) -> Bool {
        changesPace.allows(sender, on: request.conversation.network, at: clock.now)
    }

    func refuse(_ fault: AdminFault, _ request: Request) {
        let sender = request.message.sender
        guard hints.allows(sender, on: request.conversation.network, at: clock.now) else {
            counts.silenced += 1
            return
        }
        let call = call(in: request.channel) + " admin"
        aside(AdminSentences.refusal(fault, call: call, isAdmin: sender.isAdmin), request)
    }

    /// Takes something up at once, and answers when it is on disk. A disk that takes nothing is told, and the bot goes on.
    func carryOut(
        _ events: [AdminEvent], what: String, by author: Author, _ request: Request, _ answer: String
    ) {
        let entry = entry(what, by: author)
        apply(events + [.audited(entry)])
        log.info("changed by chat", ["number": "\(entry.number)"])
        afterWriting(request) { isKept in
            self.aside(Sentences.done(answer, isKept: isKept), request)
        }
    }

    func entry(_ what: String, by author: Author) -> AuditEntry {
        AuditEntry(number: record.nextNumber, at: clock.wall, who: author.who, place: author.place, what: what)
    }

    /// A change, in the place of what it makes needless.
    func make(
        _ setting: AdminSetting, in reach: AdminChange.Reach, by author: Author, _ request: Request,
        answer: (AdminChange) -> String
    ) throws(AdminFault) {
        let change = AdminChange(
            number: record.nextNumber, reach: reach, setting: setting, isByAdmin: author.isAdmin, who: author.who,
            at: clock.wall)
        let gone = try record.giveWay(to: change).map { [AdminEvent.lifted($0.number)] } ?? []
        carryOut(gone + [.changed(change)], what: setting.text, by: author, request, answer(change))
    }

    private func apply(_ events: [AdminEvent]) {
        for event in events { record.apply(event) }
        store.record(events)
        inForce.changed()
        if ignoredByChat != record.ignored {
            ignoredByChat = record.ignored
            control?.ignoredChanged()
        }
    }

    // MARK: Settings

    func set(_ call: AdminCall) throws(AdminFault) {
        let setting = try AdminSetting(call.verb.name, call.words)
        guard let target = call.target, let here = AdminChange.Reach(target) else { throw .noChannel }
        if !call.author.isAdmin { try inForce.ceiling(for: target, record).check(setting) }
        let before = inForce.channel(for: target, record).settings
        if case .allowed(let word) = setting, !before.deniedWords.contains(word) { throw .notDenied }
        try make(
            setting, in: setting.reach(here, on: target.network), by: call.author, call.request,
            answer: AdminSentences.set)
    }

    func revert(_ call: AdminCall) throws(AdminFault) {
        guard call.words.count == 1, let number = Int64(call.words[0].drop { $0 == "#" }) else { throw .usage }
        guard let change = record.change(number) else { throw .unknownChange }
        if !call.author.isAdmin {
            guard call.target.flatMap({ AdminChange.Reach($0) }) == change.reach else { throw .unknownChange }
            guard !change.isByAdmin else { throw .setByAdmin }
        }
        carryOut(
            [.lifted(number)], what: "revert \(number) (\(change.setting.text))", by: call.author, call.request,
            AdminSentences.reverted(change))
    }

    // MARK: Lists

    func listChanges(_ call: AdminCall) throws(AdminFault) {
        let changes: [AdminChange]
        if let target = call.target, let reach = AdminChange.Reach(target) {
            changes = record.changes(of: reach) + record.wideChanges(on: target.network)
        } else {
            // In a private talk anybody may count as an operator, which says nothing about other channels.
            guard call.author.isAdmin else { throw .noChannel }
            changes = record.changes
        }
        // Bans have a list of their own.
        let lines = changes.filter { !$0.setting.isBan }.sorted { $0.number > $1.number }.map {
            AdminSentences.line(for: $0, withPlace: call.target == nil)
        }
        list(lines, title: "Changes", none: "Changes: none.", call)
    }

    func listEntries(_ call: AdminCall) {
        let lines = record.entries.reversed().map(AdminSentences.line)
        list(lines, title: "Log", none: "Log: nothing yet.", call)
    }

    /// As many as fit in a line; a number behind the word leaves out so many of the newest.
    func list(_ lines: [String], title: String, none: String, _ call: AdminCall) {
        let start = min(call.words.first.flatMap { Int($0) } ?? 0, lines.count)
        let budget = call.request.adapter.textBudget(for: call.request.message)
        aside(
            AdminSentences.list(
                lines, from: max(0, start), title: title, none: none, verb: call.verb.name, budget: budget),
            call.request)
    }
}

extension AdminSetting {
    var isBan: Bool {
        if case .banned = self { true } else { false }
    }

    /// Limits of a network and of the whole bot hold beyond the channel they were set in.
    func reach(_ here: AdminChange.Reach, on network: String) -> AdminChange.Reach {
        switch self {
        case .limit(.network, _): .network(network)
        case .limit(.global, _): .bot
        case .limit, .enabled, .rating, .denied, .allowed, .banned: here
        }
    }
}
