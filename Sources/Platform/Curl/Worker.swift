import CCurl
import Glibc
import HTTP
import Net

/// Curl's thread: one long-lived multi handle, so that connections are kept, and everything that is under way.
final class Worker {
    /// What may be under way; more is refused.
    static let transferLimit = 1024
    static let transfersPerHost = 256
    /// Connections kept open for the next request.
    private static let keptConnections = 64
    private static let keptHandles = 16
    /// Only an upper bound: libcurl's own timers and messages end the wait.
    private static let longestWait: Int32 = 3_600_000

    private let mailbox: Mailbox
    private let userAgent: String
    private let caFile: String?
    private let multi: UnsafeMutableRawPointer?
    private let budget = BodyBudget()
    private var transfers: [UInt64: any Transfer] = [:]
    private var ids: [UnsafeMutableRawPointer: UInt64] = [:]
    private var perHost: [String: Int] = [:]
    private var idleHandles: [EasyHandle] = []

    private static let library: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(mailbox: Mailbox, userAgent: String, caFile: String?) {
        self.mailbox = mailbox
        self.userAgent = userAgent
        self.caFile = caFile
        multi = Self.library ? curl_multi_init() : nil
        if let multi { _ = shim_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, Self.keptConnections) }
    }

    /// Returns when the client stops.
    func run() {
        mailbox.attach(multi)
        while true {
            let (messages, stops) = mailbox.take()
            for message in messages { handle(message) }
            if stops { break }
            perform()
            if mailbox.goesToSleep(), curl_multi_poll(multi, nil, 0, Self.longestWait, nil) != CURLM_OK {
                // There is no handle, or no memory to wait with: go on slowly instead of spinning.
                poll(nil, 0, 10)
            }
        }
        mailbox.attach(nil)
        for transfer in Array(transfers.values) {
            remove(transfer)
            transfer.cancelled()
        }
        idleHandles = []
        curl_multi_cleanup(multi)
    }

    /// Lets libcurl work until it has to wait: a transfer that was just added may be done at once.
    private func perform() {
        var goesOn = true
        while goesOn {
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            goesOn = collect()
        }
    }

    /// Ends what is finished; true if a transfer began anew.
    private func collect() -> Bool {
        var again = false
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle,
                let transfer = ids[pointer].flatMap({ transfers[$0] })
            else { continue }
            // Before the handle is removed, because that closes a connection that was only dialled.
            if transfer.finished(message.pointee.data.result) {
                curl_multi_remove_handle(multi, pointer)
                curl_multi_add_handle(multi, pointer)
                again = true
            } else {
                remove(transfer)
            }
        }
        return again
    }

    // MARK: Messages

    private func handle(_ message: Message) {
        switch message {
        case .send(let id, let request, let finish): send(id, request, finish)
        case .dial(let id, let target, let finish): dial(id, target, finish)
        case .cancel(let id): cancel(id)
        }
    }

    private func send(
        _ id: UInt64, _ request: HTTPRequest, _ finish: @escaping @Sendable (Result<HTTPResponse, HTTPError>) -> Void
    ) {
        guard let origin = Origin(request.url) else { return finish(.failure(.addressRefused)) }
        guard request.headers.allSatisfy(HeaderCollector.isAllowed) else {
            return finish(.failure(.broken(host: origin.host, reason: "a header that may not be sent")))
        }
        guard request.timeout > .zero else { return finish(.failure(.timedOut(host: origin.host))) }
        guard hasRoom(for: origin.host), let handle = httpHandle() else { return finish(.failure(.overloaded)) }
        let transfer = HTTPTransfer(
            id: id, request: request, origin: origin, handle: handle, budget: budget, finish: finish)
        if !add(transfer) { finish(.failure(.overloaded)) }
    }

    private func dial(
        _ id: UInt64, _ target: DialTarget, _ finish: @escaping @Sendable (Result<Int32, DialError>) -> Void
    ) {
        switch DialTransfer.url(target) {
        case .failure(let error): finish(.failure(error))
        case .success(let url):
            guard hasRoom(for: target.host), let handle = EasyHandle() else {
                return finish(.failure(.overloaded))
            }
            let transfer = DialTransfer(id: id, target: target, url: url, handle: handle, finish: finish)
            if !add(transfer) { finish(.failure(.overloaded)) }
        }
    }

    private func cancel(_ id: UInt64) {
        guard let transfer = transfers[id] else { return }
        remove(transfer)
        transfer.cancelled()
    }

    // MARK: Handles

    private func hasRoom(for host: String) -> Bool {
        transfers.count < Self.transferLimit && perHost[host, default: 0] < Self.transfersPerHost
    }

    private func add(_ transfer: any Transfer) -> Bool {
        guard let multi, curl_multi_add_handle(multi, transfer.handle.pointer) == CURLM_OK else { return false }
        transfers[transfer.id] = transfer
        ids[transfer.handle.pointer] = transfer.id
        perHost[transfer.host, default: 0] += 1
        return true
    }

    private func remove(_ transfer: any Transfer) {
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        transfers[transfer.id] = nil
        ids[transfer.handle.pointer] = nil
        let others = perHost[transfer.host, default: 1] - 1
        perHost[transfer.host] = others > 0 ? others : nil
        if transfer is HTTPTransfer, idleHandles.count < Self.keptHandles { idleHandles.append(transfer.handle) }
    }

    private func httpHandle() -> EasyHandle? {
        if let idle = idleHandles.popLast() { return idle }
        guard let handle = EasyHandle() else { return nil }
        HTTPTransfer.configure(handle, userAgent: userAgent, caFile: caFile)
        return handle
    }
}
