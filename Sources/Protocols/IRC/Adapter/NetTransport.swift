public import Base
public import Net
import OpenSSL

/// Links over the network: dialled off the loop, TLS and bytes on it.
@Loop public final class NetTransport: IRCTransport {
    private let loop: EventLoop
    private let dialler: any Dialler

    public init(loop: EventLoop, dialler: any Dialler) {
        self.loop = loop
        self.dialler = dialler
    }

    public func open(_ endpoint: IRCEndpoint, for owner: any IRCLinkOwner) -> any IRCLink {
        NetLink(endpoint, owner: owner, loop: loop, dialler: dialler)
    }
}

@Loop private final class NetLink: IRCLink, ByteConnectionHandler {
    private weak var owner: (any IRCLinkOwner)?
    private let loop: EventLoop
    private var dialling: Task<Void, Never>?
    private var connection: ByteConnection?
    private var isClosed = false

    init(_ endpoint: IRCEndpoint, owner: any IRCLinkOwner, loop: EventLoop, dialler: any Dialler) {
        self.owner = owner
        self.loop = loop
        dialling = Loop.start { [self] in await dial(endpoint, dialler) }
    }

    private func dial(_ endpoint: IRCEndpoint, _ dialler: any Dialler) async {
        do throws(IRCLinkFault) {
            let engine = try engine(endpoint)
            let descriptor: Int32
            do throws(DialError) {
                descriptor = try await dialler.dial(
                    DialTarget(
                        host: endpoint.host, port: endpoint.port, proxy: endpoint.proxy,
                        bindAddress: endpoint.bindAddress))
            } catch {
                throw IRCLinkFault(end: IRCLinkEnd(.failed, error.description))
            }
            dialling = nil
            try connect(descriptor, engine)
        } catch {
            dialling = nil
            finish(error.end)
        }
    }

    private func engine(_ endpoint: IRCEndpoint) throws(IRCLinkFault) -> TLSEngine? {
        guard let settings = endpoint.tls else { return nil }
        do throws(TLSError) {
            return try TLSEngine(settings, host: endpoint.host, place: "\(endpoint.host):\(endpoint.port)")
        } catch {
            throw IRCLinkFault(end: IRCLinkEnd(error))
        }
    }

    private func connect(_ descriptor: Int32, _ engine: TLSEngine?) throws(IRCLinkFault) {
        do throws(NetError) {
            let made = try ByteConnection(descriptor: descriptor, tls: engine, loop: loop, handler: self)
            // Closed while it was dialled: the connection owns the descriptor, so it closes it.
            if isClosed { made.close() } else { connection = made }
        } catch {
            throw IRCLinkFault(end: IRCLinkEnd(.failed, error.description))
        }
    }

    func send(_ bytes: [UInt8]) {
        connection?.send(bytes)
    }

    func close() {
        isClosed = true
        owner = nil
        dialling?.cancel()
        dialling = nil
        connection?.close()
        connection = nil
    }

    private func finish(_ end: IRCLinkEnd) {
        guard !isClosed else { return }
        isClosed = true
        connection = nil
        owner?.closed(end, self)
        owner = nil
    }

    func opened(_ connection: ByteConnection) {
        owner?.opened(self)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: ByteConnection) {
        owner?.received(bytes, on: self)
    }

    func closed(_ end: ConnectionEnd, on connection: ByteConnection) {
        switch end {
        case .byPeer: finish(IRCLinkEnd(.byPeer, end.description))
        case .failed(let reason): finish(IRCLinkEnd(.failed, reason))
        case .tlsFailed(let error): finish(IRCLinkEnd(error))
        }
    }
}

private struct IRCLinkFault: Error {
    let end: IRCLinkEnd
}

extension IRCLinkEnd {
    init(_ error: TLSError) {
        let kind: Kind =
            error.isLasting ? .lasting : error.reason == .closedDuringHandshake ? .refused : .failed
        self.init(kind, error.description)
    }
}
