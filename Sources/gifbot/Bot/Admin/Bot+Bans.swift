import Base
import Chat

extension Bot {
    /// Whether a GIF was banned by chat where the command was given; `byAdmin`: by a bot admin, whose ban no operator lifts.
    func isBanned(_ id: String, _ request: Request, byAdmin: Bool = false) -> Bool {
        record.changes(in: request.conversation).contains {
            $0.setting == .banned(id) && ($0.isByAdmin || !byAdmin)
        }
    }

    /// Never again in this channel: `id` is `giphy:abc`. The caller has seen to it that the asker may. `answer` is said to them
    /// when it is on disk.
    func ban(_ id: String, _ request: Request, answer: String) {
        do throws(AdminFault) {
            guard let reach = AdminChange.Reach(request.conversation) else { throw .noChannel }
            try make(.banned(id), in: reach, by: Author(request), request) { _ in answer }
        } catch {
            refuse(error, request)
        }
    }

    func listBans(_ call: AdminCall) {
        let lines = bans(call).reversed().map { change in
            "\(change.setting.text.dropFirst("ban ".count)) (\(change.who), \(DateText.day(change.at)))"
        }
        list(Array(lines), title: "Bans", none: "Bans: none.", call)
    }

    func unban(_ call: AdminCall) throws(AdminFault) {
        guard call.words.count == 1 else { throw .usage }
        let id = call.words[0]
        let found = bans(call).filter { $0.setting == .banned(id) }
        guard !found.isEmpty else { throw .notBanned }
        if !call.author.isAdmin, found.contains(where: \.isByAdmin) { throw .setByAdmin }
        carryOut(
            found.map { .lifted($0.number) }, what: "unban \(id)", by: call.author, call.request,
            AdminSentences.unbanned(id, call.author.place))
    }

    private func bans(_ call: AdminCall) -> [AdminChange] {
        call.target.map { record.changes(in: $0).filter(\.setting.isBan) } ?? []
    }
}
