internal import Wire

/// An HTTP flow of mitmproxy as an archived exchange.
struct MitmproxyExchange {
    typealias Mistake = TNetstring.Mistake

    private(set) var exchange: ArchivedExchange

    /// The contents of `flow`; `request` and `method` are what was parsed of it already.
    init(
        _ flow: TNetstring, _ request: TNetstring, method: String
    ) throws(TNetstring.Mistake) {
        let started = try Self.time(request, "timestamp_start") ?? 0
        exchange = ArchivedExchange(method: method, url: "", startedUnixNanoseconds: started)
        exchange.version = try request.value("http_version")?.string ?? ""
        exchange.request = try message(request, of: "request")
        exchange.url = try url(request)
        exchange.requestEndedUnixNanoseconds = max(
            started, try Self.time(request, "timestamp_end") ?? started)
        exchange.respondedUnixNanoseconds = exchange.requestEndedUnixNanoseconds
        exchange.endedUnixNanoseconds = exchange.requestEndedUnixNanoseconds
        if let response = try flow.value("response") { try take(response: response) }
        if let error = try flow.value("error") { try take(error: error) }
        if let socket = try flow.value("websocket") { try take(socket: socket) }
        try takeEnds(flow)
        if try flow.value("backup") != nil {
            exchange.oddities.append("it was edited in mitmproxy; this is the edited one")
        }
        if let replay = try flow.value("is_replay")?.string {
            exchange.oddities.append("mitmproxy replayed the \(replay)")
        }
    }

    // MARK: HTTP

    private mutating func message(
        _ value: TNetstring, of name: String
    ) throws(Mistake) -> ArchivedExchange.Message {
        var message = ArchivedExchange.Message()
        // mitmproxy undoes the transfer coding and leaves the content coding.
        message.isDecoded = false
        if let headers = try value.value("headers") {
            var hasOther = false
            try headers.eachValue { pair throws(Mistake) in
                let parts = try pair.values(atMost: 3)
                guard parts.count == 2, let name = parts[0].bytes, let text = parts[1].bytes else {
                    throw pair.mistake("a header field is a name and a value")
                }
                let field = ArchivedExchange.Field(Self.text(name), Self.text(text))
                if !Self.isUnicode(name) || !Self.isUnicode(text) { hasOther = true }
                if !field.name.hasPrefix(":") { message.fields.append(field) }
                return true
            }
            if hasOther {
                exchange.oddities.append(
                    "a header field of the \(name) is not UTF-8; it was read as ISO 8859-1")
            }
        }
        if let content = try value.value("content") {
            guard let bytes = content.bytes else { throw content.mistake("content is bytes") }
            message.body = Array(bytes)
        } else {
            let length = message.fields.first { $0.name.lowercased() == "content-length" }
            message.missing = max(0, length.flatMap { Int64($0.value) } ?? 0)
            exchange.oddities.append("mitmproxy did not keep the body of the \(name)")
        }
        if let trailers = try value.value("trailers"), !trailers.payload.isEmpty {
            exchange.oddities.append("trailer fields of the \(name) are left out")
        }
        return message
    }

    private mutating func take(response: TNetstring) throws(Mistake) {
        let message = try message(response, of: "response")
        exchange.response = message
        guard let status = try response.value("status_code")?.integer,
            (100...999).contains(status)
        else { throw response.mistake("status_code is a number of three digits") }
        exchange.status = Int(status)
        exchange.reason = (try response.value("reason")?.bytes).map { Self.text($0) } ?? ""
        let responded = try Self.time(response, "timestamp_start")
        exchange.respondedUnixNanoseconds = max(
            exchange.startedUnixNanoseconds,
            responded ?? exchange.requestEndedUnixNanoseconds)
        exchange.endedUnixNanoseconds = max(
            exchange.respondedUnixNanoseconds,
            try Self.time(response, "timestamp_end") ?? exchange.respondedUnixNanoseconds)
    }

    private mutating func take(error: TNetstring) throws(Mistake) {
        let detail = try error.value("msg")?.string ?? ""
        if exchange.response == nil {
            exchange.error = detail
            exchange.endedUnixNanoseconds = max(
                exchange.endedUnixNanoseconds,
                try Self.time(error, "timestamp") ?? exchange.endedUnixNanoseconds)
        } else {
            exchange.oddities.append("it failed after the response began: \(detail)")
        }
    }

    /// The URL as the client sent it: with the name in `:authority` or `Host`, since `host` is an
    /// address where mitmproxy intercepted IP packets.
    private func url(_ request: TNetstring) throws(Mistake) -> String {
        let scheme = try request.value("scheme")?.string ?? ""
        let path = (try request.value("path")?.bytes).map { Self.text($0) } ?? "/"
        let authority = try request.value("authority")?.string ?? ""
        let field = exchange.request.fields.first { $0.name.lowercased() == "host" }
        var host = authority.isEmpty ? field?.value ?? "" : authority
        if host.isEmpty {
            host = try request.value("host")?.string ?? ""
            if host.contains(":") { host = "[\(host)]" }
            let port = try request.value("port")?.integer ?? 0
            if port != (scheme == "https" ? 443 : 80) { host += ":\(port)" }
        } else if host.hasSuffix(scheme == "https" ? ":443" : ":80") {
            host = String(host[..<(host.lastIndex(of: ":") ?? host.endIndex)])
        }
        return "\(scheme.isEmpty ? "http" : scheme)://\(host)\(path)"
    }

    // MARK: WebSocket

    private mutating func take(socket: TNetstring) throws(Mistake) {
        var dropped = 0
        var injected = 0
        var isCut = false
        if let messages = try socket.value("messages") {
            try messages.eachValue { value throws(Mistake) in
                guard exchange.messages.count < MitmproxyFlow.maxMessages else {
                    isCut = true
                    return false
                }
                let message = try Self.message(value)
                if message.isInjected { injected += 1 }
                if message.isDropped { dropped += 1 } else { exchange.messages.append(message.row) }
                return true
            }
        }
        if dropped > 0 {
            exchange.oddities.append("\(dropped) messages that mitmproxy dropped are left out")
        }
        if injected > 0 {
            exchange.oddities.append("\(injected) messages were injected in mitmproxy")
        }
        if isCut {
            exchange.oddities.append(
                "messages after the first \(MitmproxyFlow.maxMessages) are left out")
        }
        try takeClose(socket)
    }

    /// mitmproxy records who closed first and with which code, and keeps no frame of it.
    private mutating func takeClose(_ socket: TNetstring) throws(Mistake) {
        guard let byClient = try socket.value("closed_by_client")?.boolean else { return }
        let code = try socket.value("close_code")?.integer ?? 1_005
        // 1006 means no close frame (RFC 6455, 7.1.5).
        guard code != 1_006, let short = UInt16(exactly: code) else { return }
        var payload: [UInt8] = []
        if code != 1_005 {
            payload = [UInt8(short >> 8), UInt8(short & 0xFF)]
            // A control frame has at most 125 bytes.
            payload += (try socket.value("close_reason")?.bytes ?? []).prefix(123)
        }
        let last = exchange.messages.last?.atUnixNanoseconds ?? exchange.endedUnixNanoseconds
        exchange.messages.append(
            ArchivedExchange.SocketMessage(
                sender: byClient ? .client : .server,
                atUnixNanoseconds: max(last, try Self.time(socket, "timestamp_end") ?? last),
                opcode: 8, payload: payload))
    }

    private static func message(
        _ value: TNetstring
    ) throws(Mistake) -> (
        row: ArchivedExchange.SocketMessage, isDropped: Bool, isInjected: Bool
    ) {
        let parts = try value.values(atMost: 7)
        guard parts.count == 6, let opcode = parts[0].integer, (0...15).contains(opcode),
            let isClient = parts[1].boolean, let content = parts[2].bytes
        else { throw value.mistake("a WebSocket message has six parts, the first a type") }
        return (
            ArchivedExchange.SocketMessage(
                sender: isClient ? .client : .server,
                atUnixNanoseconds: nanoseconds(parts[3].number) ?? 0, opcode: Int(opcode),
                payload: Array(content)),
            parts[4].boolean ?? false, parts[5].boolean ?? false
        )
    }

    // MARK: Connections

    private mutating func takeEnds(_ flow: TNetstring) throws(Mistake) {
        if let client = try flow.value("client_conn") {
            if let (host, port) = try Self.address(client, "peername") {
                exchange.client = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            }
            // Requests of later versions share a connection and overlap.
            if exchange.version.hasPrefix("HTTP/1") {
                exchange.connection = try client.value("id")?.string ?? ""
            }
        }
        if let server = try flow.value("server_conn") {
            exchange.server = try Self.address(server, "peername")?.host ?? ""
        }
    }

    /// The first two values of an address, which has more for version 6.
    private static func address(
        _ connection: TNetstring, _ name: String
    ) throws(Mistake) -> (host: String, port: Int64)? {
        guard let value = try connection.value(name) else { return nil }
        let parts = try value.values(atMost: 2)
        guard parts.count == 2, let host = parts[0].string, let port = parts[1].integer,
            (0...65_535).contains(port)
        else { return nil }
        return (host, port)
    }

    // MARK: Values

    private static func time(_ value: TNetstring, _ name: String) throws(Mistake) -> Int64? {
        nanoseconds(try value.value(name)?.number)
    }

    /// Seconds since 1970 UTC in nanoseconds; nil where no 64 bits hold them.
    private static func nanoseconds(_ seconds: Double?) -> Int64? {
        guard let seconds, seconds >= 0 else { return nil }
        return Int64(exactly: (seconds * 1e9).rounded())
    }

    private static func isUnicode(_ bytes: ArraySlice<UInt8>) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// Text that is UTF-8 or else ISO 8859-1, as in header fields.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
