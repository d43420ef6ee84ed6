import Base
import Chat
import RateLimiter

extension Bot {
    func run(_ command: Command, _ request: Request) {
        switch command {
        case .search(let argument): run(.search, .search(argument), request)
        case .named(let entry, let argument): run(entry, argument, request)
        case .usage: hint(Sentences.usage(call(in: request.channel)), request)
        case .wrongOption(let option): hint(Sentences.wrong(option), request)
        }
    }

    private func run(_ entry: CommandEntry, _ argument: CommandArgument, _ request: Request) {
        guard admit(request, cost: request.isEdit ? CommandTable.turnCost : entry.cost) else { return }
        guard request.isEdit else { return entry.form.perform(self, request, argument) }
        // What an edit needs isn't known before its work begins, and then the earlier words are given up.
        guard hasRoom(for: request) else { return }
        guard let edit = admitted(edit: request) else { return giveBack(request) }
        entry.form.perform(self, edit, argument)
    }

    /// The command as it is typed here.
    func call(in channel: Channel) -> String {
        (channel.settings.prefixes.first ?? "") + channel.settings.command
    }

    /// Charges the command; false when a limit refuses it, which is told once a window.
    func admit(_ request: Request, cost: LimitCost) -> Bool {
        let decision = admission.admit(
            request.message, limits: request.channel.settings.limits, cost: cost,
            isExempt: isExempt(request.message.sender), at: clock.now)
        switch decision {
        case .admitted(let receipt):
            request.hand.receipt = receipt
            return true
        case .refused(let refusal):
            counts.refusals += 1
            tell(refusal, request)
            return false
        }
    }

    /// For a command that nothing came of through no fault of the asker; once.
    func giveBack(_ request: Request) {
        guard let receipt = request.hand.receipt else { return }
        request.hand.receipt = nil
        admission.giveBack(receipt, at: clock.now)
    }

    func isExempt(_ sender: Sender) -> Bool {
        sender.isAdmin && settings.exempt == .admins
    }
}
