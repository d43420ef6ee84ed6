import CCurl
import Files
import Glibc
import HTTP

/// One HTTP exchange, with the redirects it is allowed to follow.
final class HTTPTransfer: Transfer {
    private static let redirectLimit = 3
    private static let connectTimeout = Duration.seconds(10)
    /// A larger body is read from where it lies; libcurl copies a smaller one.
    private static let largestCopy = 64 << 10
    /// A response that has no announced length and is longer than this gets all the room it may need at once, instead of
    /// being copied to a place twice as large again and again: what isn't filled takes no memory.
    private static let guessedLength = 1 << 20

    let id: UInt64
    let handle: EasyHandle
    let host: String
    private let request: HTTPRequest
    private let origin: Origin
    private let budget: BodyBudget
    private let finish: (Result<HTTPResponse, HTTPError>) -> Void
    private let deadline: ContinuousClock.Instant
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var headers = HeaderCollector()
    private var body: [UInt8] = []
    private var charged = 0
    /// How much of the request's body is sent.
    private var sent = 0
    private var redirects = 0
    /// Why a callback cut the transfer off.
    private var failure: HTTPError?

    init(
        id: UInt64, request: HTTPRequest, origin: Origin, handle: EasyHandle, budget: BodyBudget,
        finish: @escaping (Result<HTTPResponse, HTTPError>) -> Void
    ) {
        self.id = id
        self.request = request
        self.origin = origin
        self.handle = handle
        self.budget = budget
        self.finish = finish
        host = origin.host
        deadline = .now + request.timeout
        prepare()
    }

    deinit {
        curl_slist_free_all(headerList)
    }

    /// Options that every request has; set once, and kept while the handle is used again.
    static func configure(_ handle: EasyHandle, userAgent: String, caFile: String?) {
        // Neither the environment's proxies nor its exceptions count.
        handle.set(CURLOPT_PROXY, "")
        handle.set(CURLOPT_NOPROXY, "*")
        handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        if let caFile { handle.set(CURLOPT_CAINFO, caFile) }
        handle.set(CURLOPT_USERAGENT, userAgent)
        // Whatever this libcurl can decompress; the body limit holds for what comes out.
        handle.set(CURLOPT_ACCEPT_ENCODING, "")
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_TCP_KEEPALIVE, 1)
        handle.set(CURLOPT_BUFFERSIZE, 64 << 10)
        handle.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return transfer.received(part) ? part.count : Int(CURL_WRITEFUNC_ERROR)
        }
        handle.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return transfer.headers.add(line) ? line.count : Int(CURL_WRITEFUNC_ERROR)
        }
        configureBody(handle)
    }

    /// A large body goes out in pieces; the second one goes back to its beginning when a kept connection turns out dead.
    private static func configureBody(_ handle: EasyHandle) {
        handle.set(CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let context, let bytes else { return 0 }
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        handle.set(seek: { context, offset, origin in
            guard let context, origin == SEEK_SET else { return Int32(CURL_SEEKFUNC_CANTSEEK) }
            Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().sent = Int(offset)
            return Int32(CURL_SEEKFUNC_OK)
        })
    }

    private func prepare() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_READDATA, pointer: context)
        handle.set(CURLOPT_SEEKDATA, pointer: context)
        handle.set(CURLOPT_WRITEDATA, pointer: context)
        handle.set(CURLOPT_HEADERDATA, pointer: context)
        handle.set(CURLOPT_URL, request.url)
        handle.set(CURLOPT_PROTOCOLS_STR, origin.scheme)
        // A second request waits for the first one's connection only where it can share it.
        handle.set(CURLOPT_PIPEWAIT, origin.scheme == "https" ? 1 : 0)
        handle.set(CURLOPT_MAXFILESIZE_LARGE, size: request.maximumBody)
        setDeadline()
        setMethod(request.method)
        headerList = makeHeaderList()
        handle.set(CURLOPT_HTTPHEADER, pointer: headerList)
    }

    private func setDeadline() {
        let left = max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))
        handle.set(CURLOPT_TIMEOUT_MS, milliseconds(left))
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(min(left, Self.connectTimeout)))
    }

    private func setMethod(_ method: HTTPRequest.Method) {
        // Takes back what the handle's last request was.
        handle.set(CURLOPT_CUSTOMREQUEST, nil)
        handle.set(CURLOPT_HTTPGET, 1)
        guard method != .get else { return }
        let body = request.body ?? []
        handle.set(CURLOPT_POST, 1)
        handle.set(CURLOPT_POSTFIELDSIZE_LARGE, size: body.count)
        if body.isEmpty {
            // Without any fields libcurl would read the body from standard input.
            handle.set(CURLOPT_COPYPOSTFIELDS, "")
        } else if body.count > Self.largestCopy {
            handle.set(CURLOPT_POSTFIELDS, pointer: nil)
            sent = 0
        } else {
            body.withUnsafeBytes { handle.set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress) }
        }
        if method == .put { handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
    }

    private func makeHeaderList() -> UnsafeMutablePointer<curl_slist>? {
        // Without "Expect" a big body is sent at once instead of after a second's silence; without a type of our own
        // libcurl would call the body a form.
        var list = curl_slist_append(nil, "Expect:")
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            list = curl_slist_append(list, "Content-Type:")
        }
        for header in request.headers {
            // libcurl takes "Name:" as an order to leave the header out; an empty one is written with a semicolon.
            list = curl_slist_append(list, header.value.isEmpty ? header.name + ";" : header.name + ": " + header.value)
        }
        return list
    }

    private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = request.body, (0...body.count).contains(sent) else { return Int(CURL_READFUNC_ABORT) }
        let count = min(buffer.count, body.count - sent)
        body.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count])) }
        sent += count
        return count
    }

    // MARK: Receiving

    /// False cuts the transfer off.
    private func received(_ part: UnsafeRawBufferPointer) -> Bool {
        guard body.count + part.count <= request.maximumBody else {
            failure = .bodyTooLarge(limit: request.maximumBody)
            return false
        }
        guard budget.take(part.count) else {
            failure = .overloaded
            return false
        }
        charged += part.count
        if body.isEmpty {
            let announced = handle.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
            body.reserveCapacity(min(max(announced, part.count), request.maximumBody))
        } else if body.count + part.count > max(body.capacity, Self.guessedLength) {
            body.reserveCapacity(request.maximumBody)
        }
        body.append(contentsOf: part)
        return true
    }

    // MARK: The end

    func cancelled() {
        end(.failure(.cancelled))
    }

    func finished(_ code: CURLcode) -> Bool {
        let text = handle.takeErrorText()
        if let failure {
            end(.failure(failure))
        } else if headers.overflowed {
            end(.failure(.broken(host: host, reason: "too many headers")))
        } else if code != CURLE_OK {
            end(.failure(error(code, text)))
        } else if let target = handle.text(CURLINFO_REDIRECT_URL) {
            return redirected(to: target)
        } else {
            let status = handle.number(CURLINFO_RESPONSE_CODE)
            end(.success(HTTPResponse(status: status, headers: headers.headers, body: body)))
        }
        return false
    }

    private func end(_ result: Result<HTTPResponse, HTTPError>) {
        body = []
        finish(result)
        budget.giveBack(charged)
        charged = 0
    }

    private func redirected(to target: String) -> Bool {
        redirects += 1
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        guard request.followsRedirects, redirects <= Self.redirectLimit, Origin(target) == origin else {
            end(.failure(.redirectRefused(host: host)))
            return false
        }
        budget.giveBack(charged)
        charged = 0
        body.removeAll(keepingCapacity: true)
        headers = HeaderCollector()
        // RFC 9110 section 15.4: 303 asks for a GET, and 301 and 302 do after a POST.
        if status == 303 || (request.method == .post && status <= 302) { setMethod(.get) }
        handle.set(CURLOPT_URL, target)
        setDeadline()
        return true
    }

    private func connectFault(_ code: CURLcode) -> String {
        let number = handle.number(CURLINFO_OS_ERRNO)
        return number == 0 ? curlText(code) : systemText(Int32(number))
    }

    private func error(_ code: CURLcode, _ text: String?) -> HTTPError {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .nameLookupFailed(host: host)
        case CURLE_COULDNT_CONNECT: .connectFailed(host: host, reason: connectFault(code))
        case CURLE_OPERATION_TIMEDOUT: .timedOut(host: host)
        case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge(limit: request.maximumBody)
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .addressRefused
        case CURLE_OUT_OF_MEMORY: .overloaded
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER:
            .tlsFailed(host: host, reason: text ?? curlText(code))
        default: .broken(host: host, reason: curlText(code))
        }
    }
}
