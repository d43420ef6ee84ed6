import Base

/// One of the words behind `admin`.
struct AdminVerb: Sendable {
    let name: String
    /// What stands behind it.
    let form: String
    let isForAdmins: Bool
    let needsChannel: Bool
    /// Nothing is changed by a list.
    let isChange: Bool
    let work: @Loop @Sendable (Bot, AdminCall) throws(AdminFault) -> Void

    init(
        _ name: String, _ form: String = "", isForAdmins: Bool = false, needsChannel: Bool = true,
        isChange: Bool = true,
        _ work: @escaping @Loop @Sendable (Bot, AdminCall) throws(AdminFault) -> Void
    ) {
        self.name = name
        self.form = form
        self.isForAdmins = isForAdmins
        self.needsChannel = needsChannel
        self.isChange = isChange
        self.work = work
    }

    var usage: String { form.isEmpty ? name : name + " " + form }

    static let all: [AdminVerb] = settings + lists + admins

    private static let settings = [
        AdminVerb("on") { (bot, call) throws(AdminFault) in try bot.set(call) },
        AdminVerb("off") { (bot, call) throws(AdminFault) in try bot.set(call) },
        AdminVerb("rating", "<r>") { (bot, call) throws(AdminFault) in try bot.set(call) },
        AdminVerb("limit", "<scope> <rule>") { (bot, call) throws(AdminFault) in try bot.set(call) },
        AdminVerb("deny", "<word>") { (bot, call) throws(AdminFault) in try bot.set(call) },
        AdminVerb("undeny", "<word>") { (bot, call) throws(AdminFault) in try bot.set(call) },
    ]

    private static let lists = [
        AdminVerb("bans", isChange: false) { (bot, call) throws(AdminFault) in bot.listBans(call) },
        AdminVerb("unban", "<id>") { (bot, call) throws(AdminFault) in try bot.unban(call) },
        AdminVerb("changes", needsChannel: false, isChange: false) { (bot, call) throws(AdminFault) in
            try bot.listChanges(call)
        },
        AdminVerb("revert", "<n>", needsChannel: false) { (bot, call) throws(AdminFault) in try bot.revert(call) },
    ]

    private static let admins = [
        AdminVerb("status", isForAdmins: true, needsChannel: false, isChange: false) { (bot, call) throws(AdminFault) in
            bot.tellStatus(call)
        },
        AdminVerb("reload", isForAdmins: true, needsChannel: false) { (bot, call) throws(AdminFault) in
            bot.reload(call)
        },
        AdminVerb("log", isForAdmins: true, needsChannel: false, isChange: false) { (bot, call) throws(AdminFault) in
            bot.listEntries(call)
        },
        AdminVerb("ignore", "<who>", isForAdmins: true, needsChannel: false) { (bot, call) throws(AdminFault) in
            try bot.ignore(call)
        },
        AdminVerb("unignore", "<who>", isForAdmins: true, needsChannel: false) { (bot, call) throws(AdminFault) in
            try bot.hear(call)
        },
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// In any letter case.
    static func named(_ name: String) -> AdminVerb? { byName[name.lowercased()] }
}
