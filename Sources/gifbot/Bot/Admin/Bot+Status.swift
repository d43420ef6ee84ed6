import Base
import Chat

extension Bot {
    func tellStatus(_ call: AdminCall) {
        let networks = control?.networks() ?? []
        aside(
            AdminSentences.status(
                version: about.version, upFor: started.duration(to: clock.now),
                parts: networks + SourceSentences.states(search.statuses(for: call.request.asker), wall: clock.wall),
                counts: counts,
                inProgress: inProgress, changes: record.changes.count, ignored: record.ignored.count),
            call.request)
    }

    /// The answer comes when the new settings are in force, or the old ones stay.
    func reload(_ call: AdminCall) {
        guard let control else {
            aside(AdminSentences.noReload, call.request)
            return
        }
        let entry = entry("reload", by: call.author)
        record.apply(.audited(entry))
        store.record([.audited(entry)])
        startWaiting(call.request) {
            let outcome = await control.reload()
            self.aside(outcome, call.request)
        }
    }
}
