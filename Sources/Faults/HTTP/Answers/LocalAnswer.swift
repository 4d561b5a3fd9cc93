import Dissection
import Framing
import Notation
import OpenRosa
import Wire

/// An answer that Tapedeck sends in a server's place, as a rule requires it.
///
/// Without a configured body it has the protocol's body for its status, and it has the fields of a
/// real server's answer: clients reject an answer without `Date` before they see its status.
/// Source: OpenRosa/Specification.md#envelope, #json-answers.
struct LocalAnswer {
    /// The bytes of the answer.
    let bytes: [UInt8]
    /// Whether the connection is closed after it.
    let closes: Bool

    /// The answer with these bytes.
    init(bytes: [UInt8], closes: Bool) {
        self.bytes = bytes
        self.closes = closes
    }

    /// The answer of `firing` to a request.
    ///
    /// - Parameters:
    ///   - firing: The rule's action, of kind `status`, `answer`, `redirect` or `block`.
    ///   - request: The head of the request.
    ///   - api: What the request is for.
    ///   - unixSeconds: When the answer is made, in seconds since 1970.
    ///   - closing: Whether the connection is closed whatever the request specifies.
    init(
        _ firing: Firing, to request: HTTPHead, api: String, unixSeconds: Int64,
        closing: Bool = false
    ) {
        let action = firing.action
        let status = Int(clamping: action.integer("code") ?? Self.usualStatus(action.kind))
        let ready = ReadyBody(status, firing, api: api, method: request.method)
        let isBare = action.kind == .redirect || action.kind == .block
        let body = isBare ? [] : action.text("body").map { Array($0.utf8) } ?? ready.body
        closes = closing || Self.wantsClose(request)

        var lines: [String] = []
        var named = Set<String>()
        func add(_ name: String, _ value: String) {
            guard named.insert(name.lowercased()).inserted else { return }
            lines.append("\(name): \(HeaderText.clean(value))")
        }
        for text in action.texts("header") {
            guard let colon = text.firstIndex(of: ":") else { continue }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let name = HeaderText.clean(String(text[..<colon]))
            named.insert(name.lowercased())
            lines.append("\(name): \(HeaderText.clean(String(value)))")
        }
        if let type = action.text("type") {
            add("Content-Type", type)
        } else if !body.isEmpty {
            let isOwn = action.text("body") != nil
            add("Content-Type", isOwn ? Self.type(of: body) : ready.type)
        }
        if let after = action.integer("retry-after").map(String.init) ?? action.text("retry-after")
        {
            add("Retry-After", after)
        }
        if action.kind == .redirect { add("Location", action.text("value") ?? "") }
        for field in ready.fields { add(field.name, field.value) }
        if status >= 200 {
            for field in Self.serverFields(request, api, unixSeconds) {
                add(field.name, field.value)
            }
        }
        let hasContent = !(100..<200).contains(status) && status != 204 && status != 304
        if hasContent { add("Content-Length", String(body.count)) }
        if closes { add("Connection", "close") }
        let head =
            "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
            + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        bytes = Array(head.utf8) + (hasContent && HTTPRequestKind(request) != .head ? body : [])
    }

    /// The answer with a file.
    ///
    /// - Parameters:
    ///   - file: The answer that a server of files gives.
    ///   - request: The head of the request.
    ///   - unixSeconds: When the answer is made, in seconds since 1970.
    ///   - closing: Whether the connection is closed whatever the request specifies.
    init(serving file: FileAnswer, to request: HTTPHead, unixSeconds: Int64, closing: Bool) {
        closes = closing || Self.wantsClose(request)
        var fields = file.fields
        fields.append(("Date", HTTPDate(unixSeconds: unixSeconds).text))
        if let length = file.length { fields.append(("Content-Length", String(length))) }
        if closes { fields.append(("Connection", "close")) }
        let head =
            "HTTP/1.1 \(file.status) \(Self.reason(file.status))\r\n"
            + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        bytes = Array(head.utf8) + file.body
    }

    /// The status of an answer that a rule names none for.
    private static func usualStatus(_ kind: ActionKind) -> Int64 {
        switch kind {
        case .redirect: 307
        case .block: 403
        default: 200
        }
    }

    /// What every answer of a real server has.
    private static func serverFields(
        _ request: HTTPHead, _ api: String, _ unixSeconds: Int64
    ) -> [(name: String, value: String)] {
        guard ReadyBody.isOpenRosa(api) else {
            return [("Date", HTTPDate(unixSeconds: unixSeconds).text)]
        }
        let version = request.first("x-openrosa-version").map { request.text($0.value) }
        return OpenRosaFields.answer(to: version, unixSeconds: unixSeconds)
    }

    /// Whether the connection ends with the answer to this request.
    static func wantsClose(_ request: HTTPHead) -> Bool {
        if request.contains(token: "close", in: "connection") { return true }
        return request.version != "HTTP/1.1"
            && !request.contains(token: "keep-alive", in: "connection")
    }

    /// The type of a body that a rule gives without one.
    private static func type(of body: [UInt8]) -> String {
        switch body.first(where: { $0 > 0x20 }) {
        case UInt8(ascii: "<"): "text/xml; charset=utf-8"
        case UInt8(ascii: "{"), UInt8(ascii: "["): "application/json"
        default: "text/plain; charset=utf-8"
        }
    }

    /// The reason phrase of a status (RFC 9110, 15).
    static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 511: "Network Authentication Required"
        default: "Injected"
        }
    }
}
