internal import Framing
internal import Notation
internal import Platform
internal import Storage
internal import Trace
internal import Wire

extension HARWriter {
    /// The maximum size in bytes of a form whose parameters are listed separately.
    private static let largestForm: Int64 = 1 << 16

    /// Writes one exchange with the messages of the WebSocket that it opened.
    func entry(_ row: HARRow, _ request: ReplaySide, _ response: ReplaySide?) throws {
        let asked = HARHead(request.head, .request)
        let answered = response.map { HARHead($0.head, .response) }
        let isSocket = row.status == 101 && answered?.isWebSocket ?? false
        let ended = isSocket ? try lastMessage(of: row) : 0
        let receive = max(row.receive, ended - row.send - row.wait)
        try text.object {
            text.member("startedDateTime", HARTime.write(row.startedUnixNanoseconds))
            text.member("time", nanoseconds: row.send + row.wait + receive)
            try text.object("request") { try self.request(row, request, asked, isSocket) }
            try text.object("response") { try self.response(row, response, answered) }
            text.member("cache", json: "{}")
            text.object("timings") {
                for name in ["blocked", "dns", "connect", "ssl"] { text.member(name, -1) }
                text.member("send", nanoseconds: row.send)
                text.member("wait", nanoseconds: row.wait)
                text.member("receive", nanoseconds: receive)
            }
            if let address = try address(row) { text.member("serverIPAddress", address) }
            text.member("connection", String(row.connection))
            let comments = try comments(row)
            if !comments.isEmpty { text.member("comment", comments.joined(separator: "; ")) }
            if isSocket {
                text.member("_resourceType", "websocket")
                try messages(of: row, answered?.deflate)
            }
        }
    }

    /// The address that the server's leg was connected to; nil where it is unknown.
    private func address(_ row: HARRow) throws -> String? {
        guard let leg = row.leg else { return nil }
        if let last = lastAddress, last.connection == row.connection, last.leg == leg {
            return last.host
        }
        let host = try address(row.connection, leg)
        lastAddress = (row.connection, leg, host)
        return host
    }

    private func address(_ connection: Int64, _ leg: Int64) throws -> String? {
        serverAddress.bind(1, connection)
        serverAddress.bind(2, leg)
        defer { serverAddress.reset() }
        guard try serverAddress.step(),
            let host = try? HTTPAuthority.parse(serverAddress.string(0), defaultPort: 0).host
        else { return nil }
        var address = in6_addr()
        let isAddress = [AF_INET, AF_INET6].contains { inet_pton($0, host, &address) == 1 }
        return isAddress ? host : nil
    }

    /// What Tapedeck did to the exchange.
    private func comments(_ row: HARRow) throws -> [String] {
        guard faulted.contains(row.connection) else { return row.comments }
        let faults = try details.exchange(row.id)?.faults.filter(\.row.isDone) ?? []
        return row.comments
            + faults.map { "fault by Tapedeck: \($0.row.action) (rule \($0.row.rule))" }
    }

    // MARK: Request

    private func request(
        _ row: HARRow, _ side: ReplaySide, _ head: HARHead, _ isSocket: Bool
    ) throws {
        text.member("method", row.method)
        text.member("url", row.url(isSocket: isSocket))
        text.member("httpVersion", row.version)
        cookies(HARCookies.sent(head.values("cookie")))
        fields(head)
        pairs("queryString", FormField.parse((row.query ?? "").utf8))
        text.member("headersSize", head.size)
        text.member("bodySize", side.wireSize)
        guard side.size > 0 else { return }
        let type = head.values("content-type").first ?? ""
        guard try isText(row.id, .client, side) else {
            // HAR 1.2 has no base64 for requests. Programs that know no `_content` read the text,
            // as Chrome writes it.
            try text.object("postData") {
                text.member("mimeType", type)
                text.name("text")
                text.quote()
                try contents.body(row.id, .client, side) { try text.latin1($0) }
                text.quote()
                text.member("comment", Self.latin1)
            }
            // As HTTP Toolkit does.
            text.member("_requestBodyStatus", "discarded:not-representable")
            try text.object("_content") {
                text.member("size", side.size)
                try body("text", row.id, .client, side, isText: false)
                text.member("encoding", "base64")
            }
            return
        }
        try text.object("postData") {
            text.member("mimeType", type)
            try body("text", row.id, .client, side, isText: true)
            let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
            if isForm, side.size <= Self.largestForm {
                pairs("params", FormField.parse(side.content))
            }
        }
    }

    /// How the text of a binary body is to be read.
    private static let latin1 = "each character is a byte (ISO-8859-1); _content has them in base64"

    // MARK: Response

    private func response(_ row: HARRow, _ side: ReplaySide?, _ head: HARHead?) throws {
        text.member("status", row.status ?? 0)
        text.member("statusText", row.reason)
        text.member("httpVersion", head?.version ?? "")
        cookies(HARCookies.set(head?.values("set-cookie") ?? []))
        fields(head)
        try text.object("content") {
            text.member("size", side?.size ?? 0)
            if let side, !side.coding.isEmpty {
                text.member("compression", side.size - side.wireSize)
            }
            text.member("mimeType", head?.values("content-type").first ?? "x-unknown")
            guard let side, side.size > 0 else { return }
            let isText = try isText(row.id, .server, side)
            try body("text", row.id, .server, side, isText: isText)
            if !isText { text.member("encoding", "base64") }
        }
        text.member("redirectURL", head?.values("location").first ?? "")
        text.member("headersSize", head?.size ?? -1)
        text.member("bodySize", side?.wireSize ?? -1)
        if let error = row.error { text.member("_error", error) }
    }

    // MARK: Parts

    private func fields(_ head: HARHead?) {
        pairs("headers", head?.fields.map { FormField($0.name, $0.value) } ?? [])
    }

    private func pairs(_ name: String, _ pairs: [FormField]) {
        text.array(name, pairs) { pair in
            text.object {
                text.member("name", pair.name)
                text.member("value", pair.value)
            }
        }
    }

    private func cookies(_ cookies: [HARCookies.Cookie]) {
        text.array("cookies", cookies) { cookie in
            text.object {
                text.member("name", cookie.name)
                text.member("value", cookie.value)
                if let path = cookie.path { text.member("path", path) }
                if let domain = cookie.domain { text.member("domain", domain) }
                if let expires = cookie.expires { text.member("expires", expires) }
                if cookie.isHTTPOnly { text.member("httpOnly", json: "true") }
                if cookie.isSecure { text.member("secure", json: "true") }
                if let site = cookie.sameSite { text.member("sameSite", site) }
            }
        }
    }

    /// Whether a body is UTF-8, all of it.
    private func isText(_ id: ExchangeID, _ sender: Peer, _ side: ReplaySide) throws -> Bool {
        var check = UTF8Check()
        try contents.body(id, sender, side) { check.consume($0.span) }
        return check.isValid
    }

    private func body(
        _ name: String, _ id: ExchangeID, _ sender: Peer, _ side: ReplaySide, isText: Bool
    ) throws {
        text.name(name)
        text.quote()
        try contents.body(id, sender, side) { piece in
            if isText { try text.text(piece) } else { try text.base64(piece) }
        }
        if !isText { text.endBase64() }
        text.quote()
    }

    // MARK: WebSocket

    /// Nanoseconds from the start of the exchange to the last message; 0 without any.
    private func lastMessage(of row: HARRow) throws -> Int64 {
        lastSaid.bind(1, row.id.rawValue)
        defer { lastSaid.reset() }
        guard try lastSaid.step(), let last = lastSaid.optionalInteger(0) else { return 0 }
        return max(0, row.sessionUnixNanoseconds &+ last &- row.startedUnixNanoseconds)
    }

    /// `_webSocketMessages` as Chrome writes them; control messages too, which Chrome does not see.
    private func messages(of row: HARRow, _ deflate: PerMessageDeflate?) throws {
        text.name("_webSocketMessages")
        text.raw("[")
        said.bind(1, row.id.rawValue)
        defer { said.reset() }
        var isFirst = true
        while try said.step() {
            if !isFirst { text.raw(",") }
            isFirst = false
            try message(since: row.sessionUnixNanoseconds, deflate)
            outcome.messages += 1
        }
        text.raw("]")
    }

    private func message(since start: Int64, _ deflate: PerMessageDeflate?) throws {
        let isClient = said.integer(1) == Int64(Peer.client.rawValue)
        let opcode = said.integer(3)
        var payload = said.bytes(4)
        if Int64(payload.count) < said.integer(5) {
            payload = try contents.payload(
                MessageID(said.integer(0)), startingWith: payload, deflate: deflate)
        }
        let at = start &+ said.integer(2)
        try text.object {
            text.member("type", isClient ? "send" : "receive")
            text.member("time", json: HARNumber.text(at, places: 9))
            text.member("opcode", opcode)
            text.name("data")
            text.quote()
            if opcode == 1 {
                // Text that is not UTF-8 breaks the specification; JSON cannot have it.
                let isValid = UTF8Check.isValid(payload.span)
                let reported =
                    isValid ? payload : Array(String(decoding: payload, as: UTF8.self).utf8)
                try text.text(reported[...])
            } else {
                try text.base64(payload[...])
                text.endBase64()
            }
            text.quote()
        }
    }
}
