internal import CCurl
internal import CurlShim

/// One attempt: an easy handle of libcurl with what it sends and what it received.
///
/// Lives on the thread of its ``TransferLoop``. Its handle keeps its address, so it must live as
/// long as the handle is in a multi handle.
final class Transfer {
    /// The maximum number of bytes of a head.
    private static let headLimit = 1 << 20

    /// libcurl's handle.
    let easy: UnsafeMutableRawPointer
    private let isPost: Bool
    private let source: (any BodySource)?
    private let sink: BodySink
    /// Goes after the handle that uses it.
    private let cookies: CookieShare?
    private var fieldLines: UnsafeMutablePointer<curl_slist>?
    private let message: UnsafeMutablePointer<CChar>
    /// The error of a callback.
    private var failure: HTTPError?
    private var status = 0
    private var headers: [(name: String, value: String)] = []
    private var headBytes = 0

    init(
        _ prepared: PreparedRequest, _ settings: HTTPSettings, _ cookies: CookieShare? = nil
    ) throws(HTTPError) {
        source =
            switch prepared.body {
            case .none: nil
            case .bytes(let bytes): BytesSource(bytes)
            case .file(let path):
                try FileSource(path: path, compresses: prepared.compressesFile)
            }
        guard let easy = curl_easy_init() else { throw .aborted("libcurl has no memory") }
        self.easy = easy
        // What is sent as it is given has the cookies that it is given.
        self.cookies = prepared.request.isExact ? nil : cookies
        isPost = prepared.request.requestType == .post
        sink = BodySink(limit: settings.bodyLimit, path: prepared.request.bodyFile)
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setTarget(prepared, settings)
        setBody(prepared)
        setFields(prepared)
        setLimits(prepared.request)
        setCallbacks()
        setCookies()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fieldLines)
        message.deallocate()
    }

    private func set(_ option: CURLoption, _ value: Int) {
        _ = shim_easy_setopt_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        _ = shim_easy_setopt_string(easy, option, value)
    }

    private func setTarget(_ prepared: PreparedRequest, _ settings: HTTPSettings) {
        set(CURLOPT_URL, prepared.url)
        set(CURLOPT_NOSIGNAL, 1)
        // The proxy of this program, and what it records, support nothing later.
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        let isSecure = prepared.url.prefix(6).lowercased() == "https:"
        set(CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http,https")
        set(CURLOPT_FOLLOWLOCATION, settings.redirectLimit > 0 ? 1 : 0)
        // libcurl counts the request after a challenge too, and would send none with a limit of 0.
        if settings.redirectLimit > 0 { set(CURLOPT_MAXREDIRS, settings.redirectLimit) }
        set(CURLOPT_POSTREDIR, Int(CURL_REDIR_POST_301 | CURL_REDIR_POST_302))
        if !prepared.hasAcceptEncoding { set(CURLOPT_ACCEPT_ENCODING, "") }
        if prepared.request.isExact { set(CURLOPT_PATH_AS_IS, 1) }
        if let caFile = settings.caFile { set(CURLOPT_CAINFO, caFile) }
        if let proxy = settings.proxy { set(CURLOPT_PROXY, proxy) }
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_PROXYAUTH, shim_auth_basic_or_digest)
        if let credentials = prepared.request.credentials {
            // Apart, because a user may have a colon.
            set(CURLOPT_USERNAME, credentials.user)
            set(CURLOPT_PASSWORD, credentials.password)
            switch credentials.scheme {
            case .asAsked: set(CURLOPT_HTTPAUTH, shim_auth_basic_or_digest)
            case .preemptiveBasic: set(CURLOPT_HTTPAUTH, shim_auth_basic)
            }
        }
    }

    private func setBody(_ prepared: PreparedRequest) {
        let method = prepared.request.method
        guard isPost else {
            set(method == "HEAD" ? CURLOPT_NOBODY : CURLOPT_HTTPGET, 1)
            if let method, method != "HEAD" { set(CURLOPT_CUSTOMREQUEST, method) }
            return
        }
        set(CURLOPT_POST, 1)
        if let method { set(CURLOPT_CUSTOMREQUEST, method) }
        // libcurl writes Content-Length for a size, and chunks for none.
        let size = source == nil ? 0 : source?.size
        let length = prepared.isChunked && source != nil ? nil : size
        _ = shim_easy_setopt_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(length ?? -1))
        if length == nil { append("Transfer-Encoding: chunked") }
    }

    private func setFields(_ prepared: PreparedRequest) {
        for (name, value) in prepared.headers {
            // libcurl sends a field without a value where its line ends in a semicolon.
            append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        func has(_ name: String) -> Bool {
            prepared.headers.contains { FieldName.isSame($0.name, name) }
        }
        // Lines that keep libcurl from adding its own: the type of a form, and an expectation
        // whose answer it would wait a second for.
        if isPost, !has("Content-Type") { append("Content-Type:") }
        if isPost, !has("Expect") { append("Expect:") }
        if prepared.request.isExact, !has("Accept") { append("Accept:") }
        _ = shim_easy_setopt_pointer(easy, CURLOPT_HTTPHEADER, fieldLines)
    }

    private func append(_ line: String) {
        // Without memory libcurl gives nil and keeps the list.
        fieldLines = curl_slist_append(fieldLines, line) ?? fieldLines
    }

    private func setLimits(_ request: Request) {
        set(CURLOPT_TIMEOUT_MS, request.timeout.wholeMilliseconds)
        set(CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.wholeMilliseconds)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, max(request.idleTimeout.wholeMilliseconds / 1000, 1))
    }

    private func setCookies() {
        guard let cookies else { return }
        // No file: cookies are taken and sent, and there are none to begin with.
        set(CURLOPT_COOKIEFILE, "")
        _ = shim_easy_setopt_pointer(easy, CURLOPT_SHARE, cookies.pointer)
    }

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = shim_easy_setopt_pointer(easy, CURLOPT_ERRORBUFFER, message)
        _ = shim_easy_setopt_pointer(easy, CURLOPT_WRITEDATA, context)
        _ = shim_easy_setopt_bytes_callback(easy, CURLOPT_WRITEFUNCTION) {
            Transfer.at($3)?.receive(UnsafeRawBufferPointer(start: $0, count: $1 * $2)) ?? 0
        }
        _ = shim_easy_setopt_pointer(easy, CURLOPT_HEADERDATA, context)
        _ = shim_easy_setopt_bytes_callback(easy, CURLOPT_HEADERFUNCTION) {
            Transfer.at($3)?.receiveLine(UnsafeRawBufferPointer(start: $0, count: $1 * $2)) ?? 0
        }
        _ = shim_easy_setopt_pointer(easy, CURLOPT_READDATA, context)
        _ = shim_easy_setopt_bytes_callback(easy, CURLOPT_READFUNCTION) {
            let buffer = UnsafeMutableRawBufferPointer(start: $0, count: $1 * $2)
            return Transfer.at($3)?.send(into: buffer) ?? shim_read_abort
        }
        _ = shim_easy_setopt_pointer(easy, CURLOPT_SEEKDATA, context)
        _ = shim_easy_setopt_seek_callback(easy, CURLOPT_SEEKFUNCTION) { context, offset, origin in
            Transfer.at(context)?.seek(to: Int(offset), origin) ?? CURL_SEEKFUNC_FAIL
        }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// - Returns: How many bytes were taken; fewer than came end the transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        do {
            try sink.write(bytes, status: status)
            return bytes.count
        } catch {
            failure = error
            return 0
        }
    }

    private func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // The head of an interim answer, a redirect or a challenge was not the last.
            headers = []
            headBytes = 0
            status =
                Int(text.split(separator: " ", maxSplits: 2).dropFirst().first?.prefix(3) ?? "")
                ?? 0
            // 303 would change the POST to a GET.
            if isPost, status == 303 { set(CURLOPT_FOLLOWLOCATION, 0) }
        } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = text[text.utf8.index(after: colon)...]
            headers.append((String(text[..<colon]), Self.trimmed(value)))
        }
        headBytes += line.count
        guard headBytes <= Self.headLimit else {
            failure = .tooLarge(limit: Self.headLimit)
            return 0
        }
        return line.count
    }

    private static func trimmed(_ text: Substring) -> String {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
        var bytes = text.utf8
        bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(bytes) ?? ""
    }

    private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        do {
            return try source?.read(into: buffer) ?? 0
        } catch {
            failure = error
            return shim_read_abort
        }
    }

    private func seek(to offset: Int, _ origin: Int32) -> Int32 {
        // libcurl only seeks to the start, to send a body once more.
        guard offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
        do {
            try source?.rewind()
            return CURL_SEEKFUNC_OK
        } catch {
            failure = error
            return CURL_SEEKFUNC_FAIL
        }
    }

    /// The result of the transfer, after libcurl reported its end.
    func outcome(_ code: CURLcode) -> TransferOutcome {
        var error = code == CURLE_OK ? nil : failure ?? CurlFailure(easy, code, message).error
        if error == nil {
            do { try sink.finish(status: status) } catch let late { error = late }
        }
        if error != nil { sink.discard() }
        var metadata: Response.Metadata?
        if status != 0 {
            var url: UnsafePointer<CChar>?
            _ = shim_easy_getinfo_string(easy, CURLINFO_EFFECTIVE_URL, &url)
            var redirect: UnsafePointer<CChar>?
            _ = shim_easy_getinfo_string(easy, CURLINFO_REDIRECT_URL, &redirect)
            metadata = Response.Metadata(
                status: status, headers: headers, finalURL: url.map { String(cString: $0) } ?? "",
                redirectURL: redirect.map { String(cString: $0) })
        }
        return TransferOutcome(metadata: metadata, data: sink.data, error: error)
    }

    /// Ends without an outcome.
    func abandon() { sink.discard() }
}
