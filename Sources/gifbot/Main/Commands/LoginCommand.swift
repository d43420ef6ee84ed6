import Base
import Bot
import Curl
import MatrixAdapter
import Net
import State

/// `gifbot login`: signs a Matrix account in on a server where a person has to agree on a web page.
struct LoginCommand {
    let config: String?
    let account: String?

    func perform() -> Exit {
        guard let (_, loaded) = SettingsFile.loadAndTell(named: config), let settings = loaded.settings else {
            return .badConfig
        }
        guard let chosen = settings.matrixAccount(named: account) else { return .wrongUsage }
        let sink = StandardErrorLog()
        sink.take(loaded)
        return RunningProgram(sink: sink).run { (program) throws(StartError) in
            try program.startLogin(chosen, state: settings.program.state)
        }
    }
}

extension RunningProgram {
    fileprivate func startLogin(_ account: MatrixAccountSettings, state: String) throws(StartError) {
        let store: StateStore
        do throws(StateError) {
            store = try StateStore.open(folder: state, clock: loop, log: log.area("state"))
        } catch {
            throw StartError(text: error.description)
        }
        let http = CurlClient(userAgent: Version.userAgent)
        let login = DeviceLogin(
            account, as: ClientName(name: "gifbot", website: Version.source), http: http, clock: loop, store: store,
            log: log.area("matrix"), random: { Double.random(in: 0..<1) })
        let task = Loop.start {
            var end = Exit.asAsked
            do throws(DeviceLoginError) {
                try await login.run { Output.standard.write(printable($0) + "\n") }
                Output.standard.write("\(account.name) is signed in.\n")
            } catch {
                self.fail(error.text)
                end = .failed
            }
            await store.close()
            http.stop()
            self.stop(end)
        }
        onStop = { task.cancel() }
    }
}
