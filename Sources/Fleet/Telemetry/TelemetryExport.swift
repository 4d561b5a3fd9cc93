internal import Crypto
internal import Dissection
public import Filters
internal import Notation
internal import Trace
internal import Wire

/// Sends a trace to a collector of OpenTelemetry: a span for each exchange of the client, a log record
/// for each finding.
public struct TelemetryExport {
    /// What was sent.
    public struct Outcome: Hashable, Sendable {
        /// Spans.
        public var spans = 0
        /// Log records.
        public var records = 0
        /// How many of both the collector refused.
        public var refused: Int64 = 0

        /// Nothing yet.
        public init() {}
    }

    private let collector: Collector
    private let telemetry: Telemetry
    private let labels: [Int64: [Label]]

    /// Spans and records that are sent together.
    private static let atOnce = 500

    /// An export to the collector at `url`.
    ///
    /// - Parameters:
    ///   - url: Its address, `http://HOST:PORT` or `https://…`; the paths of OTLP follow.
    ///   - headers: Fields of the requests, as `OTEL_EXPORTER_OTLP_HEADERS` has them: `name=value`
    ///     with commas between, percent-encoded.
    ///   - trace: The trace, whose identity the identifiers of spans follow from.
    ///   - program: Version of this program.
    /// - Throws: ``FleetError`` with code `usage` for an address that is none, or `TraceError` where
    ///   the trace cannot be read.
    public init(to url: String, headers: String, of trace: String, program: String) throws {
        collector = try Collector(url, headers: headers)
        let shipped = try ShippedIdentity(trace: trace)
        labels = shipped.labels
        let recorder = try shipped.recorder ?? Self.recorder(of: trace)
        telemetry = Telemetry(recorder: recorder, program: program)
    }

    /// The identity of a trace that was not shipped, which follows from its first session.
    private static func recorder(of trace: String) throws -> String {
        let first = try TraceReader(path: trace).sessions().first
        let facts = "\(first?.startedUnixNanoseconds ?? 0) \(first?.arguments ?? "")"
        return Hexadecimal.text(SHA256.hash(data: Array(facts.utf8)).prefix(16))
    }

    /// Sends the exchanges that `filter` holds for, and the findings that these or what they opened
    /// show; without a filter all of them.
    ///
    /// - Parameters:
    ///   - path: The trace, or a redacted copy of it.
    ///   - filter: Which exchanges; nil for all.
    /// - Returns: What was sent.
    /// - Throws: ``FleetError``, or `TraceError` where the trace cannot be read; what was sent before
    ///   is not taken back.
    public func send(trace path: String, _ filter: Filter?) throws -> Outcome {
        var outcome = Outcome()
        let reader = try TraceReader(path: path)
        var faulted = FaultedRows()
        try reader.extend(&faulted)
        for session in try reader.sessions() {
            let sent = try sendSpans(of: session, reader, filter, faulted, &outcome)
            try sendRecords(of: session, reader, filter == nil ? nil : sent, &outcome)
        }
        return outcome
    }

    private func sendSpans(
        of session: SessionDetail, _ reader: TraceReader, _ filter: Filter?,
        _ faulted: FaultedRows, _ outcome: inout Outcome
    ) throws -> Set<ExchangeID> {
        let start = session.startedUnixNanoseconds
        var sent: Set<ExchangeID> = []
        var spans: [JSONValue] = []
        var failure: (any Error)?
        func send() throws {
            guard !spans.isEmpty else { return }
            outcome.spans += spans.count
            outcome.refused += try collector.send(
                telemetry.traces(
                    spans, of: session.id.rawValue, labels[session.id.rawValue] ?? []),
                to: .traces)
            spans = []
        }
        let all = try Filter.parse("session:\(session.id.rawValue) kind:exchange")
        let wanted = Filter(.and([all.root, filter?.root ?? .always]))
        try reader.lines(wanted) { line in
            guard case .exchange(_, let row) = line else { return true }
            sent.insert(row.id)
            do {
                let head = try Head(of: row, reader)
                spans.append(
                    telemetry.span(
                        row, telemetry.identity(of: row, traceparent: head.traceparent),
                        start: start, userAgent: head.userAgent,
                        rules: faulted.rules(of: row.id).faults))
                if spans.count == Self.atOnce { try send() }
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
        try send()
        return sent
    }

    private func sendRecords(
        of session: SessionDetail, _ reader: TraceReader, _ exchanges: Set<ExchangeID>?,
        _ outcome: inout Outcome
    ) throws {
        var records: [JSONValue] = []
        func send() throws {
            guard !records.isEmpty else { return }
            outcome.records += records.count
            outcome.refused += try collector.send(
                telemetry.logs(
                    records, of: session.id.rawValue, labels[session.id.rawValue] ?? []),
                to: .logs)
            records = []
        }
        for finding in try reader.findings(session: session.id) {
            var identity: Telemetry.Identity?
            let id = try reader.exchange(showing: finding.id)
            if let exchanges, !(id.map(exchanges.contains) ?? false) { continue }
            if let id {
                let row = try reader.exchange(id)?.row
                identity = try row.map {
                    telemetry.identity(of: $0, traceparent: try Head(of: $0, reader).traceparent)
                }
            }
            records.append(
                telemetry.record(
                    finding.row, number: finding.id, start: session.startedUnixNanoseconds,
                    of: identity))
            if records.count == Self.atOnce { try send() }
        }
        try send()
    }

    /// What a span needs of the head of a request.
    private struct Head {
        var traceparent: String?
        var userAgent: String?

        init(of row: ExchangeRow, _ reader: TraceReader) throws {
            guard let head = try reader.requestHead(of: row.id) else { return }
            head.withUnsafeBytes {
                traceparent = HeadFields.value(of: "traceparent", in: $0)
                userAgent = HeadFields.value(of: "user-agent", in: $0)
            }
        }
    }
}
