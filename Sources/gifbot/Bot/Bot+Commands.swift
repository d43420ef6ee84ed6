import Base
import Chat
import RateLimiter

extension Bot {
    func run(_ command: Command, _ request: Request) {
        switch command {
        case .search(let command): search(command, request)
        case .named(let entry): run(entry, request)
        case .usage: hint(Sentences.usage(call(in: request.channel)), request)
        case .wrongOption(let option): hint(Sentences.wrong(option), request)
        }
    }

    private func run(_ entry: CommandTable.Entry, _ request: Request) {
        guard admit(request, cost: entry.cost) != nil else { return }
        switch entry.action {
        case .help: help(request)
        case .about: hint(Sentences.about(about), request)
        case .limits: limits(request)
        }
    }

    private func help(_ request: Request) {
        let settings = request.channel.settings
        hint(Sentences.help(prefix: settings.prefixes.first ?? "", command: settings.command), request)
    }

    private func limits(_ request: Request) {
        guard !isExempt(request.message.sender) else {
            hint(Sentences.exempt, request)
            return
        }
        let limits = admission.remaining(
            for: request.message, limits: request.channel.settings.limits, at: clock.now)
        hint(Sentences.limits(limits), request)
    }

    /// The command as it is typed here.
    private func call(in channel: Channel) -> String {
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
            if refusal.isFirstInWindow {
                notice(Sentences.limitReached(refusal), request)
            } else {
                counts.silenced += 1
            }
            return nil
        }
    }

    func isExempt(_ sender: Sender) -> Bool {
        sender.isAdmin && settings.section.exempt == .admins
    }
}
