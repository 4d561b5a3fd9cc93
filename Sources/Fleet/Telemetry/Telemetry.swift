internal import Crypto
internal import Dissection
internal import Formats
internal import Notation
internal import Trace
internal import Wire

/// What a trace is for OpenTelemetry: a span for each exchange, a log record for each finding.
///
/// Source: OpenTelemetry Protocol 1, "JSON Protobuf Encoding": identifiers are hexadecimal, 64-bit
/// numbers texts; names of attributes follow the semantic conventions of HTTP spans. A request with
/// `traceparent` belongs to the trace of its client (W3C, "Trace Context", 3.2); other exchanges of a
/// connection make a trace of their own, whose identifier follows from the recorder and the connection.
struct Telemetry {
    /// The recorder: a UUID.
    let recorder: String
    /// Version of this program.
    let program: String

    /// A body of `/v1/traces` with these spans of one session.
    func traces(_ spans: [JSONValue], of session: Int64, _ labels: [Label]) -> JSONValue {
        Self.object([
            (
                "resourceSpans",
                .array([
                    Self.object([
                        ("resource", resource(session, labels)),
                        (
                            "scopeSpans",
                            .array([
                                Self.object([("scope", scope), ("spans", .array(spans))])
                            ])
                        ),
                    ])
                ])
            )
        ])
    }

    /// A body of `/v1/logs` with these records of one session.
    func logs(_ records: [JSONValue], of session: Int64, _ labels: [Label]) -> JSONValue {
        Self.object([
            (
                "resourceLogs",
                .array([
                    Self.object([
                        ("resource", resource(session, labels)),
                        (
                            "scopeLogs",
                            .array([
                                Self.object([("scope", scope), ("logRecords", .array(records))])
                            ])
                        ),
                    ])
                ])
            )
        ])
    }

    private func resource(_ session: Int64, _ labels: [Label]) -> JSONValue {
        let own: [(String, JSONValue)] = [
            ("service.name", Self.text("tapedeck")), ("service.instance.id", Self.text(recorder)),
            ("tapedeck.session", Self.number(session)),
        ]
        let named = labels.map { ("tapedeck.label.\($0.name)", Self.text($0.value)) }
        return Self.object([("attributes", Self.attributes(own + named))])
    }

    private var scope: JSONValue {
        Self.object([("name", .string("tapedeck")), ("version", .string(program))])
    }

    // MARK: Spans

    /// The identifiers of the span of an exchange.
    struct Identity: Hashable {
        /// Of the trace, 32 hexadecimal digits.
        var trace: String
        /// Of the span, 16 hexadecimal digits.
        var span: String
        /// Of the client's span, where it sent one.
        var parent: String?
    }

    /// The identity of an exchange whose request has this `traceparent`.
    func identity(of row: ExchangeRow, traceparent: String?) -> Identity {
        let span = hash("exchange \(row.id)", 8)
        if let parent = traceparent.flatMap(TraceParent.init) {
            return Identity(trace: parent.trace, span: span, parent: parent.span)
        }
        return Identity(trace: hash("connection \(row.connection)", 16), span: span)
    }

    private func hash(_ what: String, _ bytes: Int) -> String {
        let digest = SHA256.hash(data: Array("tapedeck \(recorder) \(what)".utf8))
        return Hexadecimal.text(digest.prefix(bytes))
    }

    /// The span of an exchange that began in a session that started at `start`.
    func span(
        _ row: ExchangeRow, _ identity: Identity, start: Int64, userAgent: String?, rules: [String]
    ) -> JSONValue {
        func at(_ instant: Instant) -> JSONValue {
            .string(String(max(0, start &+ instant.nanoseconds)))
        }
        var attributes: [(String, JSONValue)] = [
            ("http.request.method", Self.text(row.method)), ("url.full", Self.text(row.url)),
            ("url.scheme", Self.text(row.scheme)), ("url.path", Self.text(row.path)),
            ("server.address", Self.text(row.host)), ("server.port", Self.number(Int64(row.port))),
            ("http.request.body.size", Self.number(row.requestSize)),
            ("http.response.body.size", Self.number(row.responseSize)),
            ("tapedeck.exchange", Self.number(row.id.rawValue)),
            ("tapedeck.connection", Self.number(row.connection.rawValue)),
            ("tapedeck.api", Self.text(row.api)),
            ("tapedeck.outcome", Self.text(row.outcome.rawValue)),
        ]
        if let query = row.query { attributes.append(("url.query", Self.text(query))) }
        if let status = row.status {
            attributes.append(("http.response.status_code", Self.number(Int64(status))))
        }
        if let device = row.device { attributes.append(("device.id", Self.text(device))) }
        if let userAgent { attributes.append(("user_agent.original", Self.text(userAgent))) }
        if let problem = row.problem { attributes.append(("error.type", Self.text(problem))) }
        if !rules.isEmpty {
            attributes.append(
                ("tapedeck.faults", Self.text(rules.joined(separator: " "))))
        }
        let isError = row.status.map { $0 >= 400 } ?? (row.outcome != .open)
        var members: [(String, JSONValue)] = [
            ("traceId", .string(identity.trace)), ("spanId", .string(identity.span)),
        ]
        if let parent = identity.parent { members.append(("parentSpanId", .string(parent))) }
        members += [
            ("name", .string("\(row.method) \(row.path)")),
            // A client's call, as somebody beside it sees it.
            ("kind", .number("3")), ("startTimeUnixNano", at(row.startedAt)),
            ("endTimeUnixNano", at(row.endedAt ?? row.startedAt)),
            ("attributes", Self.attributes(attributes)),
            ("status", isError ? Self.object([("code", .number("2"))]) : Self.object([])),
        ]
        return Self.object(members)
    }

    // MARK: Log records

    /// The record of a finding.
    func record(
        _ row: FindingRow, number: Int64, start: Int64, of identity: Identity?
    ) -> JSONValue {
        // The numbers of OpenTelemetry's data model of logs.
        let severity =
            switch row.severity {
            case .error: ("17", "ERROR")
            case .warning: ("13", "WARN")
            case .info: ("9", "INFO")
            }
        let time = JSONValue.string(String(max(0, start &+ row.at.nanoseconds)))
        var members: [(String, JSONValue)] = [
            ("timeUnixNano", time), ("observedTimeUnixNano", time),
            ("severityNumber", .number(severity.0)), ("severityText", .string(severity.1)),
            ("body", Self.text(row.detail)),
            (
                "attributes",
                Self.attributes([
                    ("event.name", Self.text("tapedeck.finding")),
                    ("tapedeck.rule", Self.text(row.rule)),
                    ("tapedeck.expected", Self.text(row.expected)),
                    ("tapedeck.finding", Self.number(number)),
                ])
            ),
        ]
        if let identity {
            members += [
                ("traceId", .string(identity.trace)), ("spanId", .string(identity.span)),
            ]
        }
        return Self.object(members)
    }

    // MARK: JSON

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0, $1) }))
    }

    private static func text(_ text: String) -> JSONValue {
        object([("stringValue", .string(text))])
    }

    private static func number(_ number: Int64) -> JSONValue {
        object([("intValue", .string(String(number)))])
    }

    private static func attributes(_ attributes: [(String, JSONValue)]) -> JSONValue {
        .array(attributes.map { object([("key", .string($0)), ("value", $1)]) })
    }
}

/// The header field `traceparent`.
///
/// Source: W3C, "Trace Context", 3.2.2.
struct TraceParent: Hashable {
    /// Of the trace, 32 hexadecimal digits.
    let trace: String
    /// Of the parent span, 16 hexadecimal digits.
    let span: String

    /// Reads a value; nil where it is to be ignored.
    init?(_ value: String) {
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            Self.isIdentifier(parts[1], 32), Self.isIdentifier(parts[2], 16),
            parts[3].count == 2
        else { return nil }
        trace = String(parts[1])
        span = String(parts[2])
    }

    private static func isIdentifier(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            && text.utf8.contains { $0 != 0x30 }
    }
}
