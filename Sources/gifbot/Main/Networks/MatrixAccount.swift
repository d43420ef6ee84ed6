import Base
import Bot
import Chat
import Curl
import MatrixAdapter
import Net
import State

extension MatrixAccountSettings: ConfiguredNetwork {
    /// Element turns `//gif` into `/gif`, other clients send it as it is.
    static let kind = NetworkKind(
        section: "matrix", conversations: "rooms", prefixes: ["!", "/", "//"], namesPeopleByNetwork: false,
        showsMedia: true)

    static func read(
        _ map: ConfigMap
    ) -> (network: MatrixAccountSettings, conversations: [(name: String, map: ConfigMap?)])? {
        decode(map).map { ($0.settings, $0.rooms) }
    }

    var conversations: [String] { rooms }
    var encrypts: Bool { encryption }

    var summary: String {
        (homeserver ?? "homeserver found by the user's server") + (user.map { ", as \($0)" } ?? "")
    }

    func advice(_ program: BotSectionSettings) -> [String] {
        program.matrixAdmins.isEmpty
            ? ["no Matrix user is named as a bot admin, so nobody can administer the bot from there"] : []
    }

    func change(from old: MatrixAccountSettings) -> String? {
        if needsNewSession(comparedTo: old) { return "signs in anew" }
        // A room may let nobody in a second time, so none is left by leaving it out.
        return SettingsChanges.moves(old.rooms, rooms, in: "enters", out: "stays in, by invitation,")
            ?? (self == old ? nil : "other settings")
    }

    func adapter(in assembly: Assembly, of settings: Settings, handler: any ChatHandler) -> MatrixAdapter {
        let keys = MatrixKeys(
            folder: assembly.stateFolder, log: assembly.log, now: { [loop = assembly.loop] in loop.wall.milliseconds })
        return MatrixAdapter(
            settings: self, admins: settings.program.matrixAdmins, ignore: settings.program.matrixIgnored,
            ageLimit: settings.bot.longestAge(on: name), http: assembly.http, clock: assembly.loop,
            store: assembly.store, log: assembly.log.area("matrix"), handler: handler, crypto: keys,
            random: { Double.random(in: 0..<1) })
    }

    func probe(with means: ProbeMeans) async -> [Finding] {
        let probe = MatrixProbe(self, http: means.http, lookAtKeys: KeyLook(folder: means.stateFolder).judge)
        let gate = Gate(clock: means.loop)
        let answer = ProbeAnswer()
        let task = Loop.start {
            answer.findings = await probe.findings()
            gate.open()
        }
        await gate.wait(by: means.loop.now.advanced(by: means.limit))
        task.cancel()
        return answer.findings
            ?? [Finding(isGood: false, "no answer within \(means.limit.secondsRoundedUp) s")]
    }
}

/// What a probe found, once it is done.
@Loop private final class ProbeAnswer {
    var findings: [Finding]?
}

extension MatrixAdapter: NetworkAdapter {
    /// It signs in anew by itself where that is needed.
    func take(_ settings: Settings) -> Bool {
        guard let now = settings.network(named: network) as? MatrixAccountSettings else { return false }
        update(
            settings: now, admins: settings.program.matrixAdmins, ignore: settings.program.matrixIgnored,
            ageLimit: settings.bot.longestAge(on: network))
        return true
    }

    var standing: String { haltReason ?? "at work" }
}

extension Settings {
    var matrix: [MatrixAccountSettings] { networks.compactMap { $0 as? MatrixAccountSettings } }
}
