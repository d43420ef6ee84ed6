import Base
import Chat
import RateLimiter

extension Bot {
    func run(_ command: Command, _ request: Request) {
        switch command {
        case .search(let command): search(command, request)
        case .named(let entry, let argument): run(entry, argument, request)
        case .usage: hint(Sentences.usage(call(in: request.channel)), request)
        case .wrongOption(let option): hint(Sentences.wrong(option), request)
        }
    }

    private func run(_ entry: CommandEntry, _ argument: SearchCommand, _ request: Request) {
        guard admit(request, cost: entry.cost) != nil else { return }
        entry.work(self, request, argument)
    }

    /// The command as it is typed here.
    func call(in channel: Channel) -> String {
        (channel.settings.prefixes.first ?? "") + channel.settings.command
    }

    /// Charges the command; nil when a limit refuses it, which is told once a window.
    func admit(_ request: Request, cost: LimitCost) -> Receipt? {
        let decision = admission.admit(
            request.message, limits: request.channel.settings.limits, cost: cost,
            isExempt: isExempt(request.message.sender), at: clock.now)
        switch decision {
        case .admitted(let receipt): return receipt
        case .refused(let refusal):
            counts.refusals += 1
            tell(refusal, request)
            return nil
        }
    }

    func isExempt(_ sender: Sender) -> Bool {
        sender.isAdmin && settings.section.exempt == .admins
    }
}
